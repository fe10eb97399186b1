#pragma once

#include "hone/text/jinja_object.h"
#include "hone/text/jinja_value.h"

/// Python's two ways of filling strings. Internal to hone/text.
namespace hone::text::jinja {

/// How one value is laid out, by either way.
struct FormatSpec {
  Text fill = Text(" ");
  char align = 0;  // < > ^ = or 0: the kind's own
  char sign = '-';
  bool alternate = false, grouped = false;
  int width = 0, precision = -1;
  char type = 0;
};

/// A number with its sign, digits and padding; the type must be one of bcdoxXeEfFgG% or 0.
Text format_number(const Value& value, const FormatSpec& spec);
/// Fills up to the width; `align` is for a spec that says none.
Text pad(Text text, const FormatSpec& spec, char align);

/// format % arguments: a tuple gives values in order, a dict by name, another value is the only
/// one.
Text format_percent(const Text& format, const Value& arguments);
/// format.format(*arguments) with {}, {0}, {name}, {a.b[c]}, !r, !s and :spec.
Text format_braces(const Text& format, const Arguments& arguments);

}  // namespace hone::text::jinja
