#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::reward {

/// A fraction in lowest terms with a positive denominator.
struct Rational {
  int64_t numerator = 0, denominator = 1;
  bool operator==(const Rational&) const = default;
};

/// Exact results; no value on overflow of 64 bits and on division by zero.
std::optional<Rational> add(Rational a, Rational b);
std::optional<Rational> subtract(Rational a, Rational b);
std::optional<Rational> multiply(Rational a, Rational b);
std::optional<Rational> divide(Rational a, Rational b);

/// The value of an expression and the numbers written in it, left to right.
struct Evaluated {
  Rational value;
  std::vector<int64_t> numbers;
};

/// Evaluates integers with + - * / (also × ÷ −), signs and parentheses, and nothing else. No value
/// on any other text, on more than 1000 bytes, on 100 open parentheses, on overflow.
std::optional<Evaluated> evaluate(std::string_view text);

}  // namespace hone::reward
