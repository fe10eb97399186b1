#pragma once

#include <optional>

#include "hone/text/jinja_value.h"

/// Methods of strings, lists and dicts. Internal to hone/text.
namespace hone::text::jinja {

/// value.name bound to the value, if its type has that method. Methods that would change a list or
/// dict are undefined, as in Jinja's immutable sandbox.
std::optional<Value> find_method(const Value& value, std::string_view name);

/// str.split, str.rsplit and str.splitlines; `separator` nullptr: runs of white space, `limit` < 0:
/// no limit.
Values split(const Text& text, const Text* separator, int64_t limit);
Values split_right(const Text& text, const Text* separator, int64_t limit);
Values split_lines(const Text& text, bool keep_ends);

/// str.replace; `limit` < 0: all.
Text replace(const Text& text, const Text& old, const Text& replacement, int64_t limit);
/// separator.join(items); an item that is no string is an input error.
Text join(const Text& separator, const Values& items);

}  // namespace hone::text::jinja
