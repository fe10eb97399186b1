#include "hone/text/jinja_number.h"

#include <charconv>
#include <cmath>

#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

/// The characters of a number: no white space around, no '_' between digits; empty if not of that
/// form.
std::string number_characters(const Text& text) {
  const Text stripped = strip(text, nullptr, Side::both);
  const std::string& bytes = stripped.bytes();
  std::string result;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool between = i > 0 && std::isalnum(static_cast<uint8_t>(bytes[i - 1])) &&
                         i + 1 < bytes.size() && std::isalnum(static_cast<uint8_t>(bytes[i + 1]));
    if (bytes[i] == '_' && !between) return {};
    if (bytes[i] != '_') result += bytes[i];
  }
  return result;
}

std::optional<int64_t> parse_digits(std::string characters, int64_t base) {
  HONE_CHECK(base == 0 || (base >= 2 && base <= 36), "int: a base must be 0 or 2 to 36");
  const bool minus = characters.starts_with('-');
  if (minus || characters.starts_with('+')) characters.erase(0, 1);
  constexpr std::pair<std::string_view, int> kPrefixes[] = {{"0b", 2}, {"0o", 8}, {"0x", 16}};
  for (const auto& [prefix, radix] : kPrefixes) {
    const bool here =
        characters.size() > 2 && characters[0] == '0' && (characters[1] | 32) == prefix[1];
    if (!here || (base != 0 && base != radix)) continue;
    characters.erase(0, 2);
    base = radix;
  }
  if (base == 0) base = 10;
  if (characters.empty() || !std::isalnum(static_cast<uint8_t>(characters[0]))) return {};
  int64_t number = 0;
  if (minus) characters = "-" + characters;
  const char* end = characters.data() + characters.size();
  const auto result = std::from_chars(characters.data(), end, number, static_cast<int>(base));
  HONE_CHECK(result.ec != std::errc::result_out_of_range,
             "an integer would need more than 64 bits");
  if (result.ec != std::errc() || result.ptr != end) return {};
  return number;
}

int64_t truncate_float(double number) {
  HONE_CHECK(std::abs(number) < 0x1p63, "an integer would need more than 64 bits");
  return static_cast<int64_t>(number);
}

void refuse_undefined(const Value& value) {
  if (const Undefined* undefined = value.undefined()) fail_input("{}", undefined->message);
}

}  // namespace

std::optional<double> parse_float(const Value& value) {
  refuse_undefined(value);
  if (value.is_number()) return value.as_float();
  if (!value.text()) return {};
  std::string characters = number_characters(*value.text());
  if (characters.starts_with('+') && !characters.starts_with("+-")) characters.erase(0, 1);
  if (characters.find('(') != characters.npos) return {};
  double number = 0;
  const char* end = characters.data() + characters.size();
  const auto result = std::from_chars(characters.data(), end, number);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return {};
  // from_chars does not say which way it was out of range.
  if (result.ec == std::errc::result_out_of_range) return std::strtod(characters.c_str(), nullptr);
  return number;
}

std::optional<Value> parse_integer(const Value& value, int64_t base) {
  refuse_undefined(value);
  if (value.is_int()) return value.as_int();
  if (value.text()) {
    if (const auto number = parse_digits(number_characters(*value.text()), base)) return *number;
  }
  const auto number = parse_float(value);
  if (!number || std::isnan(*number)) return {};
  HONE_CHECK(std::isfinite(*number) || !value.is_float(), "infinity has no integer");
  if (std::isinf(*number)) return {};
  return truncate_float(*number);
}

namespace {

/// Half to even in decimal, of the exact value.
double round_common(double number, int64_t precision) {
  if (!std::isfinite(number) || precision > 300) return number;
  if (precision >= 0) {
    const std::string digits = fmt::format("{:.{}f}", number, precision);
    return std::strtod(digits.c_str(), nullptr);
  }
  const double unit = std::pow(10.0, -static_cast<double>(precision));
  return std::nearbyint(number / unit) * unit;
}

int64_t round_integer(int64_t number, int64_t precision) {
  if (precision >= 0) return number;
  if (precision < -18) return 0;
  int64_t unit = 1;
  for (; precision < 0; ++precision) unit *= 10;
  const int64_t rest = (number % unit + unit) % unit, low = number - rest;
  const bool up = rest > unit / 2 || (rest == unit / 2 && (low / unit) % 2 != 0);
  return up ? low + unit : low;
}

}  // namespace

Value round_number(const Value& value, int64_t precision, std::string_view method) {
  HONE_CHECK(value.is_number(), "round needs a number, but got '{}'", type_name(value));
  if (method == "common") {
    if (value.is_int()) return round_integer(value.as_int(), precision);
    return round_common(value.as_float(), precision);
  }
  HONE_CHECK(method == "ceil" || method == "floor",
             "round: the method must be common, ceil or floor");
  HONE_CHECK(std::abs(precision) <= 300, "round: a precision of {} is too large", precision);
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value.as_float() * unit;
  HONE_CHECK(std::isfinite(scaled), "round: the number is too large");
  return (method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit;
}

}  // namespace hone::text::jinja
