#include "hone/text/jinja_format.h"

#include <cmath>

#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

constexpr int kMaxWidth = 1'000'000, kMaxPrecision = 1000;

std::string float_digits(double number, const FormatSpec& spec) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : "inf";
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 'e':
      return fmt::format("{:.{}e}", number, precision);
    case 'E':
      return fmt::format("{:.{}E}", number, precision);
    case 'g':
      return fmt::format("{:.{}g}", number, precision);
    case 'G':
      return fmt::format("{:.{}G}", number, precision);
    case '%':
      return fmt::format("{:.{}f}%", number * 100, precision);
    case 0:
      return spec.precision < 0 ? print_float(number) : fmt::format("{:.{}g}", number, precision);
    default:
      return fmt::format("{:.{}f}", number, precision);
  }
}

std::string integer_digits(uint64_t number, const FormatSpec& spec) {
  switch (spec.type) {
    case 'x':
      return spec.alternate ? fmt::format("{:#x}", number) : fmt::format("{:x}", number);
    case 'X':
      return spec.alternate ? fmt::format("{:#X}", number) : fmt::format("{:X}", number);
    case 'o':
      return (spec.alternate ? "0o" : "") + fmt::format("{:o}", number);
    case 'b':
      return spec.alternate ? fmt::format("{:#b}", number) : fmt::format("{:b}", number);
    default:
      return std::to_string(number);
  }
}

void group_thousands(std::string& digits) {
  const size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  for (size_t at = end; at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
}

std::string character_of(const Value& value) {
  std::string bytes;
  const int64_t code = value.as_int();
  HONE_CHECK(code >= 0 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF), "{} is no character",
             code);
  append_utf8(bytes, static_cast<int32_t>(code));
  return bytes;
}

}  // namespace

Text pad(Text text, const FormatSpec& spec, char align) {
  const auto width = static_cast<size_t>(spec.width), count = count_characters(text.bytes());
  if (count >= width) return text;
  if (spec.align) align = spec.align;
  const size_t missing = width - count;
  // str.format rounds the left half down.
  const size_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  Text result;
  for (size_t i = 0; i < left; ++i) result.append(spec.fill);
  result.append(text);
  for (size_t i = left; i < missing; ++i) result.append(spec.fill);
  return result;
}

Text format_number(const Value& value, const FormatSpec& spec) {
  if (spec.type == 'c' && value.is_int()) return pad(Text(character_of(value)), spec, '<');
  const bool integer =
      value.is_int() &&
      std::string_view("bcdioxXnu").find(spec.type ? spec.type : 'd') != std::string_view::npos;
  std::string digits;
  bool negative = false;
  if (integer) {
    HONE_CHECK(spec.precision < 0 || spec.type != 0, "integers have no precision");
    const int64_t number = value.as_int();
    negative = number < 0;
    digits = integer_digits(negative ? -static_cast<uint64_t>(number) : number, spec);
  } else {
    negative = std::signbit(value.as_float());
    digits = float_digits(std::abs(value.as_float()), spec);
  }
  if (spec.grouped) group_thousands(digits);
  const std::string sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  if (spec.align != '=') return pad(Text(sign + digits), spec, '>');
  FormatSpec inner = spec;
  inner.align = '>';
  inner.width = std::max(0, spec.width - static_cast<int>(sign.size()));
  Text result(sign);
  result.append(pad(Text(digits), inner, '>'));
  return result;
}

namespace {

/// Walks a %-format and takes arguments as its directives ask.
class PercentFormatter {
 public:
  PercentFormatter(const Text& format, const Value& arguments)
      : format_(format), bytes_(format.bytes()), arguments_(arguments) {
    const Sequence* sequence = arguments.sequence();
    if (sequence && sequence->kind == SequenceKind::tuple) tuple_ = sequence;
  }

  Text run() {
    Text result;
    while (at_ < bytes_.size()) {
      const size_t percent = std::min(find_bytes(bytes_, "%", at_), bytes_.size());
      result.append(format_, at_, percent);
      at_ = percent + 1;
      if (percent < bytes_.size()) result.append(directive(percent));
    }
    const bool rest = tuple_ ? next_ < tuple_->items.size()
                             : next_ == 0 && (arguments_.is_number() || arguments_.text() ||
                                              arguments_.is_none());
    HONE_CHECK(!rest || arguments_.dict(), "not all arguments are used by the format string");
    result.markup = format_.markup;
    return result;
  }

 private:
  Text directive(size_t percent) {
    const Value* named = nullptr;
    if (peek() == '(') {
      const size_t close = bytes_.find(')', at_);
      HONE_CHECK(close != bytes_.npos && arguments_.dict(), "a format needs a mapping");
      const std::string key = bytes_.substr(at_ + 1, close - at_ - 1);
      named = arguments_.dict()->find(std::string_view(key));
      HONE_CHECK(named, "the mapping of a format lacks '{}'", key);
      at_ = close + 1;
    }
    const FormatSpec spec = parse_spec();
    if (spec.type == '%') return format_.slice(percent, percent + 1);
    if (named) next_ = 1;
    return convert(named ? *named : next_argument(), spec);
  }

  FormatSpec parse_spec() {
    FormatSpec spec;
    bool left = false, zero = false;
    for (; std::string_view("-+ 0#").find(peek()) != std::string_view::npos && peek(); ++at_) {
      left |= peek() == '-';
      zero |= peek() == '0';
      spec.alternate |= peek() == '#';
      if (peek() == '+' || (peek() == ' ' && spec.sign != '+')) spec.sign = peek();
    }
    spec.width = parse_count(kMaxWidth);
    if (peek() == '.') {
      ++at_;
      spec.precision = parse_count(kMaxPrecision);
    }
    HONE_CHECK(at_ < bytes_.size(), "a format ends within a directive");
    spec.type = bytes_[at_++];
    spec.align = left                                                                    ? '<'
                 : zero && std::string_view("srac").find(spec.type) == std::string::npos ? '='
                                                                                         : '>';
    if (spec.align == '=') spec.fill = Text("0");
    return spec;
  }

  int parse_count(int limit) {
    int64_t count = 0;
    if (peek() == '*') {
      ++at_;
      const Value& value = next_argument();
      HONE_CHECK(value.is_int(), "* needs an integer");
      count = value.as_int();
    }
    for (; peek() >= '0' && peek() <= '9' && count <= limit; ++at_)
      count = count * 10 + (peek() - '0');
    HONE_CHECK(count >= 0 && count <= limit, "a width or precision of a format is beyond {}",
               limit);
    return static_cast<int>(count);
  }

  const Value& next_argument() {
    HONE_CHECK(tuple_ ? next_ < tuple_->items.size() : next_ == 0,
               "not enough arguments for the format string");
    return tuple_ ? tuple_->items[next_++] : (++next_, arguments_);
  }

  Text convert(const Value& value, const FormatSpec& spec) const {
    const std::string_view numbers = "diuoxXeEfFgGc";
    if (spec.type == 's' || spec.type == 'r' || (spec.type == 'c' && value.text())) {
      HONE_CHECK(spec.type != 'c' || count_characters(value.text()->bytes()) == 1,
                 "%c needs an integer or one character");
      Text text = spec.type == 'r' ? print_quoted(value) : print(value);
      if (format_.markup) text = escape_html(text);
      if (spec.precision >= 0) text = text.slice(0, byte_offset(text.bytes(), spec.precision));
      return pad(std::move(text), spec, '>');
    }
    HONE_CHECK(numbers.find(spec.type) != numbers.npos, "unsupported format character '{}'",
               spec.type);
    HONE_CHECK(value.is_number(), "%{} needs a number, but got '{}'", spec.type, type_name(value));
    const bool decimal = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    HONE_CHECK(decimal || value.is_int() ||
                   std::string_view("oxXc").find(spec.type) == std::string_view::npos,
               "%{} needs an integer, but got a float", spec.type);
    if (!decimal || value.is_int()) return format_number(value, spec);
    HONE_CHECK(std::abs(value.as_float()) < 0x1p63, "%{} needs a number within 64 bits", spec.type);
    return format_number(static_cast<int64_t>(value.as_float()), spec);
  }

  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }

  const Text& format_;
  const std::string& bytes_;
  const Value& arguments_;
  const Sequence* tuple_ = nullptr;
  size_t at_ = 0, next_ = 0;
};

}  // namespace

Text format_percent(const Text& format, const Value& arguments) {
  return PercentFormatter(format, arguments).run();
}

}  // namespace hone::text::jinja
