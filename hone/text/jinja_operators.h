#pragma once

#include <compare>
#include <optional>

#include "hone/text/jinja_value.h"

/// Python's operators on values; what Python refuses is an input error. Internal to hone/text.
namespace hone::text::jinja {

enum class Operator { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };

/// bool(value).
bool truthy(const Value& value);
/// a == b.
bool equal(const Value& a, const Value& b);
/// Order of numbers, strings, lists or tuples; other pairs are an input error.
std::partial_ordering order(const Value& a, const Value& b);
/// a < b for sorting.
inline bool less(const Value& a, const Value& b) {
  return order(a, b) < 0;
}
bool compare(Comparison comparison, const Value& a, const Value& b);
/// item in container.
bool contains(const Value& container, const Value& item);

/// a op b; integers beyond 64 bits are an input error. `%` after a string formats it.
Value arithmetic(Operator op, const Value& a, const Value& b);
/// -value, or +value.
Value negate(const Value& value, bool minus);

/// list(value): elements, characters or keys; an iterator gives them once.
Values iterate(const Value& value);
bool is_iterable(const Value& value);
/// len(value).
int64_t length(const Value& value);

/// value.name and value[key] as the sandbox of Jinja looks them up: a missing one is undefined.
Value attribute(const Value& value, std::string_view name);
Value item(const Value& value, const Value& key);
/// An attribute or method of the value itself, not a key.
std::optional<Value> own_attribute(const Value& value, std::string_view name);
/// value[begin:end:step]; each bound an integer or None.
Value slice(const Value& value, const Value& begin, const Value& end, const Value& step);

/// Where str.strip would cut: the bytes that stay. `chars` nullptr: white space.
enum class Side { left, right, both };
Text strip(const Text& text, const Text* chars, Side side);

/// Markup.escape: HTML special characters of what is no markup yet.
Text escape_html(const Text& text);

}  // namespace hone::text::jinja
