#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Templates as tokens. Internal to hone/text.
namespace hone::text::jinja {

enum class TokenKind {
  data,
  output_begin,
  output_end,
  block_begin,
  block_end,
  name,
  string,
  integer,
  number,
  symbol,
  end
};

/// One token and the line it starts on.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;  // of strings: what they stand for
  int line = 0;
};

/// All tokens, with white space handled as trim_blocks, lstrip_blocks, "-" and "+" say, comments
/// and raw blocks resolved; an input error names the line.
std::vector<Token> tokenize(std::string_view source);

}  // namespace hone::text::jinja
