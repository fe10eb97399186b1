#include "hone/engine/stop_strings.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/rng.h"

namespace hone::engine {
namespace {

struct Result {
  std::string text;
  std::optional<size_t> matched;
  bool operator==(const Result&) const = default;
};

using Stops = std::vector<std::string>;

/// The definition, in one piece: the match that ends first, the longest of those.
Result expected(const Stops& stops, bool include_stop, const std::string& text) {
  for (size_t end = 1; end <= text.size(); ++end) {
    std::optional<size_t> longest;
    for (size_t i = 0; i < stops.size(); ++i) {
      const bool ends = std::string_view(text).substr(0, end).ends_with(stops[i]);
      if (ends && (!longest || stops[i].size() > stops[*longest].size())) longest = i;
    }
    if (!longest) continue;
    return {text.substr(0, include_stop ? end : end - stops[*longest].size()), longest};
  }
  return {text, std::nullopt};
}

/// The longest suffix that is a proper prefix of a stop string.
size_t withheld_count(const Stops& stops, const std::string& text) {
  size_t most = 0;
  for (const auto& stop : stops) {
    for (size_t n = 1; n < stop.size(); ++n) {
      if (text.ends_with(stop.substr(0, n))) most = std::max(most, n);
    }
  }
  return most;
}

}  // namespace

TEST(StopStrings, GiveTheSameAtEverySplitInThree) {
  const Stops stops{"</tool>", "\n\n", "<|end|>", "é!", "aab"};
  for (const std::string text :
       {"hello </tool> rest", "a\nb\n\nc", "x</tool<|end|>y", "caf\xc3\xa9\xc3\xa9! z", "aaaaab",
        "nothing to see <|en", "</too</tool></tool>", ""}) {
    for (const bool include_stop : {false, true}) {
      const Result want = expected(stops, include_stop, text);
      for (size_t a = 0; a <= text.size(); ++a) {
        for (size_t b = a; b <= text.size(); ++b) {
          StopMatcher matcher(stops, include_stop);
          std::string got = matcher.feed(text.substr(0, a));
          got += matcher.feed(text.substr(a, b - a));
          got += matcher.feed(text.substr(b));
          got += matcher.flush();
          EXPECT_EQ((Result{got, matcher.matched()}), want) << text << " at " << a << ", " << b;
        }
      }
    }
  }
}

TEST(StopStrings, RandomTextsOfTwoLetters) {
  uint64_t index = 0;
  const RandomStream random{.seed = 1};
  const auto word = [&](uint64_t most) {
    std::string letters(1 + random.below(index++, most), 'a');
    for (char& letter : letters) letter = static_cast<char>('a' + random.below(index++, 2));
    return letters;
  };
  for (int round = 0; round < 3000; ++round) {
    const Stops stops{word(7) + "ab", word(5) + "a", word(6)};
    const std::string text = word(40);
    StopMatcher matcher(stops, round % 2 == 0);
    std::string got, seen;
    for (const char byte : text) {
      got += matcher.feed({&byte, 1});
      seen += byte;
      if (matcher.matched()) break;
      ASSERT_EQ(seen.size() - got.size(), withheld_count(stops, seen)) << seen;
    }
    got += matcher.flush();
    ASSERT_EQ((Result{got, matcher.matched()}), expected(stops, round % 2 == 0, text)) << text;
  }
}

TEST(StopStrings, NothingComesAfterAMatch) {
  StopMatcher matcher({"stop"}, false);
  EXPECT_EQ(matcher.feed("go stop go"), "go ");
  EXPECT_EQ(matcher.feed("more"), "");
  EXPECT_EQ(matcher.flush(), "");
  EXPECT_EQ(matcher.matched(), 0u);
}

TEST(StopStrings, WithoutStopStringsTextPasses) {
  StopMatcher matcher({}, false);
  EXPECT_EQ(matcher.feed("anything"), "anything");
}

TEST(StopStrings, AnEmptyStopStringIsAnInputError) {
  EXPECT_THROW(StopMatcher({"a", ""}, false), Error);
}

}  // namespace hone::engine
