#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/text/jinja_value.h"

/// Cuts a template into tokens. Internal to hone/text.
namespace hone::text::jinja {

enum class TokenKind {
  data,            // text outside of tags
  variable_begin,  // {{
  variable_end,    // }}
  block_begin,     // {%
  block_end,       // %}
  name,
  literal,  // string, integer or float: `value`
  symbol,   // an operator or bracket
  end       // after the last token
};

/// One token; line and column (in characters) of its first character, from 1.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  Value value;
  int line = 1, column = 1;
};

/// Tokens of a template with trim_blocks and lstrip_blocks, as jinja2 3.1 cuts it: comments and raw
/// blocks are resolved, newlines are \n, one newline at the end is dropped. The last token is
/// `end`.
std::vector<Token> tokenize(std::string_view source);

/// An input error that names the place.
[[noreturn]] void fail_at(const Token& token, std::string_view message);

/// The value of a string literal between its quotes; `token` is for the error of a wrong escape.
std::string unescape(std::string_view body, const Token& token);

}  // namespace hone::text::jinja
