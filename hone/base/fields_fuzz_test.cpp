#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/fields.h"
#include "hone/base/json.h"
#include "hone/base/rng.h"

namespace hone::config {
namespace {

struct Leaf {
  static constexpr const char* kKind = "leaf";
  double size = 0.1;
  static void fields(auto&& self, auto&& visit) { visit("size", self.size, "Size."); }
};

struct Twig {
  static constexpr const char* kKind = "twig";
  float length = 0.1f;
  std::vector<int32_t> marks;
  static void fields(auto&& self, auto&& visit) {
    visit("length", self.length, "Length.");
    visit("marks", self.marks, "Marks.");
  }
};

struct Tree {
  std::string name;
  bool green = true;
  uint64_t age = 3;
  std::optional<int64_t> height;
  std::variant<Leaf, Twig> top;
  std::vector<std::variant<Leaf, Twig>> parts;
  static void fields(auto&& self, auto&& visit) {
    visit("name", self.name, "Name.");
    visit("green", self.green, "Green.");
    visit("age", self.age, "Age.");
    visit("height", self.height, "Height.");
    visit("top", self.top, "Top.");
    visit("parts", self.parts, "Parts.");
  }
};

constexpr std::string_view kSeed = R"(name = "oak \u00e9"
green = false
age = 12
height = -4
top.kind = "twig"
top.marks = [1, 2, 3]
[[parts]]
kind = "leaf"
size = 1e-3
[[parts]]
kind = "twig"
length = nan
)";

/// The seed text with some bytes replaced, doubled, cut or taken from elsewhere in it.
std::string mutated(const RandomStream& random) {
  std::string text(kSeed);
  const uint64_t changes = 1 + random.below(0, 2);
  for (uint64_t i = 0; i < changes; ++i) {
    const uint64_t draw = 1 + i * 8;
    const size_t at = random.below(draw, text.size());
    const size_t length = 1 + random.below(draw + 1, 6);
    const std::string piece(kSeed.substr(random.below(draw + 2, kSeed.size()), length));
    switch (random.below(draw + 3, 5)) {
      case 0:
        text[at] = static_cast<char>(random.below(draw + 4, 256));
        break;
      case 1:
        text[text.find_first_of("0123456789")] =
            static_cast<char>('0' + random.below(draw + 4, 10));
        break;
      case 2:
        text.insert(at, piece);
        break;
      case 3:
        text.erase(at, length);
        break;
      default:
        text.replace(at, length, piece);
        break;
    }
  }
  return text;
}

}  // namespace

TEST(FieldsFuzz, BadTextGivesInputErrorsAndGoodTextRoundTrips) {
  int accepted = 0, refused = 0;
  for (uint32_t item = 0; item < 20000; ++item) {
    const std::string text = mutated({.seed = 11, .step = 0, .item = item});
    const std::vector<std::string> overrides = {
        std::string(kSeed.substr(item % kSeed.size(), item % 17))};
    try {
      const Tree tree =
          read_toml<Tree>(text, "fuzz", item % 3 == 0 ? overrides : std::vector<std::string>());
      const std::string printed = print_toml(tree);
      ASSERT_EQ(print_toml(read_toml<Tree>(printed, "printed")), printed) << text;
      ASSERT_TRUE(parse_json(print_json(tree), "printed").is_object()) << text;
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << text;
      ++refused;
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 1000);
}

}  // namespace hone::config
