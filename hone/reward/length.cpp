#include "hone/reward/length.h"

#include <algorithm>

#include "hone/base/check.h"

namespace hone::reward {
namespace {

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

int64_t count_words(std::string_view text) {
  int64_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = stripped({&c, 1}).empty();
    count += !space && !inside;
    inside = !space;
  }
  return count;
}

int64_t length_of(const Sample& sample, LengthUnit unit) {
  switch (unit) {
    case LengthUnit::characters:
      return count_characters(sample.completion);
    case LengthUnit::words:
      return count_words(sample.completion);
    case LengthUnit::tokens:
      break;
  }
  return sample.token_count;
}

}  // namespace

void LengthReward::check() const {
  HONE_CHECK(0 <= minimum && minimum <= maximum && slack >= 0,
             "must hold 0 <= minimum <= maximum and slack >= 0, came minimum {}, maximum {}, "
             "slack {}",
             minimum, maximum, slack);
}

Scorer LengthReward::scorer() const {
  return [options = *this](const Sample& sample) -> Score {
    const int64_t length = length_of(sample, options.unit);
    const int64_t outside =
        std::max<int64_t>({0, options.minimum - length, length - options.maximum});
    return {
        std::max(0.0, 1.0 - static_cast<double>(outside) / static_cast<double>(options.slack + 1))};
  };
}

}  // namespace hone::reward
