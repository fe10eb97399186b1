#include "hone/reward/expression.h"

#include <charconv>
#include <limits>

namespace hone::reward {
namespace {

using Wide = __int128;
constexpr size_t kMaxBytes = 1000;
constexpr int kMaxDepth = 100;

std::optional<Rational> reduced(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  Wide a = numerator < 0 ? -numerator : numerator, b = denominator < 0 ? -denominator : denominator;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  const Wide divisor = denominator < 0 ? -a : a;
  numerator /= divisor;
  denominator /= divisor;
  constexpr Wide kLimit = std::numeric_limits<int64_t>::max();
  if (numerator > kLimit || numerator < -kLimit || denominator > kLimit) return std::nullopt;
  return Rational{static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

/// Recursive descent: sum = product {(+|-) product}, product = factor {(*|/) factor}.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Evaluated> parse() {
    const auto value = sum();
    if (!value || peek() != 0 || at_ < text_.size()) return std::nullopt;
    return Evaluated{*value, numbers_};
  }

 private:
  /// The next operator, parenthesis or digit as an ASCII character; 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    constexpr std::pair<std::string_view, char> kSigns[] = {{"×", '*'}, {"÷", '/'}, {"−", '-'}};
    for (const auto& [sign, ascii] : kSigns) {
      width_ = sign.size();
      if (text_.substr(at_).starts_with(sign)) return ascii;
    }
    width_ = 1;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    at_ += width_;
    return true;
  }

  std::optional<Rational> sum() {
    auto value = product();
    while (value && (peek() == '+' || peek() == '-')) {
      const bool plus = take('+') || !take('-');
      const auto right = product();
      if (!right) return std::nullopt;
      value = plus ? add(*value, *right) : subtract(*value, *right);
    }
    return value;
  }

  std::optional<Rational> product() {
    auto value = factor();
    while (value && (peek() == '*' || peek() == '/')) {
      const bool times = take('*') || !take('/');
      const auto right = factor();
      if (!right) return std::nullopt;
      value = times ? multiply(*value, *right) : divide(*value, *right);
    }
    return value;
  }

  std::optional<Rational> factor() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    std::optional<Rational> value;
    if (take('-')) {
      if ((value = factor())) value->numerator = -value->numerator;
    } else if (take('(')) {
      value = sum();
      if (!take(')')) value.reset();
    } else {
      value = number();
    }
    --depth_;
    return value;
  }

  std::optional<Rational> number() {
    peek();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto result = std::from_chars(begin, text_.data() + text_.size(), value);
    if (result.ec != std::errc() || *begin == '-') return std::nullopt;
    at_ += result.ptr - begin;
    numbers_.push_back(value);
    return Rational{value, 1};
  }

  std::string_view text_;
  size_t at_ = 0, width_ = 1;
  int depth_ = 0;
  std::vector<int64_t> numbers_;
};

}  // namespace

std::optional<Rational> add(Rational a, Rational b) {
  return reduced(Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator,
                 Wide{a.denominator} * b.denominator);
}

std::optional<Rational> subtract(Rational a, Rational b) {
  return add(a, {-b.numerator, b.denominator});
}

std::optional<Rational> multiply(Rational a, Rational b) {
  return reduced(Wide{a.numerator} * b.numerator, Wide{a.denominator} * b.denominator);
}

std::optional<Rational> divide(Rational a, Rational b) {
  return reduced(Wide{a.numerator} * b.denominator, Wide{a.denominator} * b.numerator);
}

std::optional<Evaluated> evaluate(std::string_view text) {
  if (text.size() > kMaxBytes) return std::nullopt;
  return Parser(text).parse();
}

}  // namespace hone::reward
