#include <algorithm>
#include <cmath>

#include "hone/text/jinja_format.h"
#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

constexpr const char* kSymbols[] = {"+", "-", "*", "/", "//", "%", "**"};

[[noreturn]] void refuse(Operator op, const Value& a, const Value& b) {
  for (const Value* value : {&a, &b}) {
    if (value->undefined()) fail_input("{}", value->undefined()->message);
  }
  fail_input("unsupported operand types for {}: '{}' and '{}'", kSymbols[static_cast<int>(op)],
             type_name(a), type_name(b));
}

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// Python's float modulo: the result has the sign of `b`.
double floor_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

bool overflows_power(int64_t base, int64_t exponent, int64_t& result) {
  result = 1;
  if (base == 0 || base == 1) {
    result = exponent == 0 ? 1 : base;
    return false;
  }
  if (base == -1) {
    result = exponent % 2 ? -1 : 1;
    return false;
  }
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return true;
  }
  return false;
}

Value arithmetic_of_integers(Operator op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  if (op == Operator::add) overflows = __builtin_add_overflow(a, b, &result);
  if (op == Operator::subtract) overflows = __builtin_sub_overflow(a, b, &result);
  if (op == Operator::multiply) overflows = __builtin_mul_overflow(a, b, &result);
  if (op == Operator::power) overflows = overflows_power(a, b, result);
  if (op == Operator::floor_divide || op == Operator::modulo) {
    HONE_CHECK(b != 0, "integer division or modulo by zero");
    overflows = b == -1 && __builtin_sub_overflow(int64_t{0}, a, &result);
    const int64_t quotient = b == -1 ? result : floor_divide(a, b);
    result = op == Operator::modulo ? a - quotient * b : quotient;
  }
  HONE_CHECK(!overflows, "an integer would need more than 64 bits");
  return result;
}

Value arithmetic_of_floats(Operator op, double a, double b) {
  if (op == Operator::add) return a + b;
  if (op == Operator::subtract) return a - b;
  if (op == Operator::multiply) return a * b;
  if (op == Operator::power) {
    HONE_CHECK(a != 0 || b >= 0, "0.0 cannot be raised to a negative power");
    HONE_CHECK(a >= 0 || b == std::floor(b), "a power of a negative number would be complex");
    const double result = std::pow(a, b);
    HONE_CHECK(std::isfinite(result) || !std::isfinite(a) || !std::isfinite(b),
               "the result of ** is too large");
    return result;
  }
  HONE_CHECK(b != 0, "division by zero");
  if (op == Operator::divide) return a / b;
  const double rest = floor_modulo(a, b);
  return op == Operator::modulo ? rest : std::floor((a - rest) / b + 0.5);
}

Text concatenate(const Text& a, const Text& b) {
  const bool markup = a.markup || b.markup;
  Text result = markup ? escape_html(a) : a;
  result.append(markup ? escape_html(b) : b);
  return result;
}

Value repeat(const Value& value, int64_t count) {
  count = std::max<int64_t>(count, 0);
  if (const Text* text = value.text()) {
    Text result;
    result.markup = text->markup;
    for (int64_t i = 0; i < count && !text->empty(); ++i) result.append(*text);
    return result;
  }
  Values items;
  const Sequence& sequence = *value.sequence();
  for (int64_t i = 0; i < count && !sequence.items.empty(); ++i) {
    for (const Value& item : sequence.items) push(items, item);
  }
  return make_sequence(sequence.kind, std::move(items));
}

bool is_repeatable(const Value& value) {
  return value.text() || (value.sequence() && value.sequence()->kind <= SequenceKind::tuple);
}

Value join_sequences(const Sequence& a, const Sequence& b) {
  Values items = a.items;
  for (const Value& item : b.items) push(items, item);
  return make_sequence(a.kind, std::move(items));
}

}  // namespace

Value arithmetic(Operator op, const Value& a, const Value& b) {
  if (op == Operator::modulo && a.text()) return format_percent(*a.text(), b);
  if (a.is_number() && b.is_number()) {
    const bool negative_power = op == Operator::power && b.is_int() && b.as_int() < 0;
    if (a.is_int() && b.is_int() && op != Operator::divide && !negative_power) {
      return arithmetic_of_integers(op, a.as_int(), b.as_int());
    }
    return arithmetic_of_floats(op, a.as_float(), b.as_float());
  }
  if (op == Operator::add) {
    if (a.text() && b.text()) return concatenate(*a.text(), *b.text());
    const Sequence *left = a.sequence(), *right = b.sequence();
    if (left && right && left->kind == right->kind && is_repeatable(a)) {
      return join_sequences(*left, *right);
    }
  }
  if (op == Operator::multiply) {
    if (is_repeatable(a) && b.is_int()) return repeat(a, b.as_int());
    if (is_repeatable(b) && a.is_int()) return repeat(b, a.as_int());
  }
  refuse(op, a, b);
}

Value negate(const Value& value, bool minus) {
  if (value.is_int()) {
    return minus ? arithmetic(Operator::subtract, 0, value) : Value(value.as_int());
  }
  if (value.is_float()) return minus ? -value.as_float() : value.as_float();
  if (const Undefined* undefined = value.undefined()) fail_input("{}", undefined->message);
  fail_input("bad operand type for unary {}: '{}'", minus ? '-' : '+', type_name(value));
}

namespace {

/// One bound of a slice, clipped to what `step` can reach.
int64_t slice_bound(const Value& bound, int64_t otherwise, int64_t count, int64_t step) {
  if (bound.is_none()) return otherwise;
  HONE_CHECK(bound.is_int(), "a slice needs integers or None, but got '{}'", type_name(bound));
  const int64_t value = bound.as_int() < 0 ? bound.as_int() + count : bound.as_int();
  return step > 0 ? std::clamp<int64_t>(value, 0, count)
                  : std::clamp<int64_t>(value, -1, count - 1);
}

/// The indices that begin:end:step picks among `count`.
std::vector<size_t> slice_indices(int64_t count, const Value& begin, const Value& end,
                                  const Value& step) {
  HONE_CHECK(step.is_none() || step.is_int(), "a slice needs integers or None, but got '{}'",
             type_name(step));
  const int64_t stride = step.is_none() ? 1 : step.as_int();
  HONE_CHECK(stride != 0, "the step of a slice cannot be zero");
  const int64_t last = slice_bound(end, stride > 0 ? count : -1, count, stride);
  std::vector<size_t> indices;
  int64_t at = slice_bound(begin, stride > 0 ? 0 : count - 1, count, stride);
  while (stride > 0 ? at < last : at > last) {
    indices.push_back(at);
    if (__builtin_add_overflow(at, stride, &at)) break;
  }
  return indices;
}

}  // namespace

Value slice(const Value& value, const Value& begin, const Value& end, const Value& step) {
  if (const Undefined* undefined = value.undefined()) fail_input("{}", undefined->message);
  if (const Text* text = value.text()) {
    const std::vector<size_t> offsets = character_offsets(text->bytes());
    Text result;
    result.markup = text->markup;
    for (const size_t index : slice_indices(offsets.size() - 1, begin, end, step)) {
      result.append(*text, offsets[index], offsets[index + 1]);
    }
    return result;
  }
  const Sequence* sequence = value.sequence();
  HONE_CHECK(sequence && sequence->is_indexable(), "a slice of '{}' is not possible",
             type_name(value));
  Values items;
  for (const size_t index : slice_indices(sequence->items.size(), begin, end, step)) {
    items.push_back(sequence->items[index]);
  }
  // A slice of a range is a range in Python, which differs only when printed.
  const bool tuple = sequence->kind == SequenceKind::tuple;
  return tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
}

}  // namespace hone::text::jinja
