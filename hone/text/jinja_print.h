#pragma once

#include "hone/text/jinja_value.h"

/// Values as text. Internal to hone/text.
namespace hone::text::jinja {

/// str(value) and repr(value) of Python; undefined prints as nothing.
Text print(const Value& value);
Text print_quoted(const Value& value);
/// repr of a float: the shortest digits that read back as the same number.
std::string print_float(double number);

/// How JSON is laid out; as json.dumps of Python.
struct JsonLayout {
  bool ensure_ascii = false, sort_keys = false;
  bool has_indent = false;
  Text indent;  // of one level
  Text item_separator, key_separator;
};
/// json.dumps(value); a value that JSON cannot express is an input error.
Text print_json(const Value& value, const JsonLayout& layout);

}  // namespace hone::text::jinja
