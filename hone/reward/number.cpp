#include "hone/reward/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "hone/reward/pattern.h"

namespace hone::reward {
namespace {

/// Groups: 1 sign, 2 and 3 the parts of \frac, 4 and 5 of a plain number or fraction, 6 percent.
const Pattern& number_pattern() {
  static const Pattern pattern = [] {
    const std::string decimal =
        R"((?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)";
    const std::string sign = R"((?:(?<![\p{L}\p{N}_)\]}])([-+−])|(?<![\p{L}\p{N}_])))";
    const std::string latex = R"(\\[dt]?frac\{(-?)" + decimal + R"()\}\{(-?)" + decimal + R"()\})";
    const std::string plain = R"((?<!\d[./])()" + decimal + ")(?:/(" + decimal + "))?";
    return Pattern(sign + "[$€£]?(?:" + latex + "|" + plain + R"()(?:\s?(\\?%|percent))?)");
  }();
  return pattern;
}

double parse_decimal(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc() ? value : std::nan("");
}

bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

}  // namespace

std::optional<Number> last_number(std::string_view text) {
  const auto groups = number_pattern().last_match(text);
  if (groups.empty()) return std::nullopt;
  const int top = groups[2].empty() ? 4 : 2;
  double value = parse_decimal(groups[top]);
  if (!groups[top + 1].empty()) value /= parse_decimal(groups[top + 1]);
  if (!groups[1].empty() && groups[1] != "+") value = -value;
  if (!std::isfinite(value)) return std::nullopt;
  return Number{value, !groups[6].empty()};
}

bool equal_numbers(const Number& a, const Number& b, double tolerance) {
  if (close(a.value, b.value, tolerance)) return true;
  if (a.percent == b.percent) return false;
  return close(a.percent ? a.value / 100 : a.value, b.percent ? b.value / 100 : b.value, tolerance);
}

}  // namespace hone::reward
