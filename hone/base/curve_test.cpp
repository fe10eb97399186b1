#include "hone/base/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace hone {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

int columns_of(const std::string& line) {
  int count = 0;
  for (const char c : line) count += (c & 0xC0) != 0x80;
  return count;
}

}  // namespace

TEST(Curve, ARisingLineRises) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i);
  const std::string text = draw_curve(
      values, {.width = 20, .height = 4, .title = "reward", .x_label = "step", .first_x = 0});
  EXPECT_EQ(text,
            "reward\n"
            "       39 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⣀⡠⠤⠒⠉\n"
            "          │⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⣀⡠⠔⠒⠉⠀⠀⠀⠀⠀\n"
            "       13 ┤⠀⠀⠀⠀⠀⣀⠤⠔⠊⠉⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀\n"
            "        0 ┤⣀⠤⠒⠊⠉⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀\n"
            "          └────────────────────\n"
            "           0      step       39\n");
}

TEST(Curve, EveryShapeKeepsItsWidth) {
  const double nan = std::nan("");
  for (const auto& values :
       {std::vector<double>{1}, {2, 2, 2}, {nan, 1, nan, -3}, {1e30, -1e30}, {-0.001, 0.001}}) {
    const auto lines = lines_of(draw_curve(values, {.width = 30, .height = 5}));
    ASSERT_EQ(lines.size(), 7u);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(columns_of(lines[i]), 41) << lines[i];
  }
  EXPECT_EQ(draw_curve({}), "(no values)\n");
  EXPECT_EQ(draw_curve(std::vector<double>{nan}), "(no values)\n");
}

TEST(Curve, ManyValuesAreAveraged) {
  std::vector<double> values;
  for (int i = 0; i < 100000; ++i) values.push_back(i % 2);
  const auto lines = lines_of(draw_curve(values, {.width = 20, .height = 5}));
  EXPECT_TRUE(lines[2].starts_with("      0.5 ┤")) << lines[2];
  for (const int empty : {0, 1, 3, 4}) {
    EXPECT_TRUE(lines[empty].ends_with("⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀")) << lines[empty];
  }
}

}  // namespace hone
