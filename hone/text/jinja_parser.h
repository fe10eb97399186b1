#pragma once

#include <string_view>

#include "hone/text/jinja_ast.h"

/// From the text of a template to its tree. Internal to hone/text.
namespace hone::text::jinja {

/// Expressions and blocks nested deeper than this are an input error.
inline constexpr int kMaxNesting = 200;

/// Parses a template; an input error names line, column and cause.
Body parse_template(std::string_view source);

}  // namespace hone::text::jinja
