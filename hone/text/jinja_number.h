#pragma once

#include <optional>

#include "hone/text/jinja_value.h"

/// Python's conversions of numbers. Internal to hone/text.
namespace hone::text::jinja {

/// The int filter: int(value) or int(float(value)); nullopt where it takes its default.
std::optional<Value> parse_integer(const Value& value, int64_t base);
/// float(value); nullopt where that is no number.
std::optional<double> parse_float(const Value& value);
/// The round filter; `method` is common, ceil or floor.
Value round_number(const Value& value, int64_t precision, std::string_view method);

}  // namespace hone::text::jinja
