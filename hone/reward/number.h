#pragma once

#include <optional>
#include <string_view>

namespace hone::reward {

/// A number as people write it: 1,234.5, -3, +.5, 2e-3, 3/4, \frac{3}{4}, $7, 50%.
struct Number {
  double value = 0;      // without the percent sign: 50 for "50%"
  bool percent = false;  // a percent sign follows
};

/// The last number of the text, if any. Digits glued to a letter before them are no number (H2O);
/// a minus after a digit, a letter or a bracket is an operator (10-5 ends in 5).
std::optional<Number> last_number(std::string_view text);

/// Whether |a - b| <= tolerance * max(1, |b|). If one of the two has a percent sign, it may be
/// meant as written (50% = 50) or as a fraction (50% = 0.5).
bool equal_numbers(const Number& a, const Number& b, double tolerance);

}  // namespace hone::reward
