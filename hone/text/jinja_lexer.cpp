#include "hone/text/jinja_lexer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <charconv>

namespace hone::text::jinja {
namespace {

std::string normalize_newlines(std::string_view source) {
  std::string result;
  for (size_t i = 0; i < source.size(); ++i) {
    const bool carriage = source[i] == '\r';
    result += carriage ? '\n' : source[i];
    if (carriage && i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

bool is_digit_of(char c, int base) {
  const int value = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' ? (c | 32) - 'a' + 10 : 99;
  return value < base;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalize_newlines(source)) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) lex_data();
    add(TokenKind::end, at_, at_);
    return std::move(tokens_);
  }

 private:
  // Text up to the next tag, and the tag.
  void lex_data() {
    const std::string_view rest = std::string_view(source_).substr(at_);
    size_t begin = rest.find('{');
    while (begin != rest.npos && !(begin + 1 < rest.size() &&
                                   std::string_view("{%#").find(rest[begin + 1]) != rest.npos)) {
      begin = rest.find('{', begin + 1);
    }
    if (begin == rest.npos) {
      add(TokenKind::data, at_, source_.size());
      return advance(source_.size());
    }
    const size_t tag = at_ + begin;
    const char kind = source_[tag + 1];
    const char sign = peek(tag + 2) == '-' || peek(tag + 2) == '+' ? peek(tag + 2) : '\0';
    add_stripped(tag, sign, kind != '{');
    const size_t body = tag + 2 + (sign != '\0');
    if (kind == '#') return lex_comment(tag, body);
    if (kind == '%') {
      if (const size_t end = match_word_tag(body, "raw", false); end != 0) return lex_raw(tag, end);
    }
    add(kind == '{' ? TokenKind::variable_begin : TokenKind::block_begin, tag, body);
    advance(body);
    lex_tag(kind == '%');
  }

  /// Adds the text before a tag without the white space that the tag takes away.
  void add_stripped(size_t tag, char sign, bool takes_indent) {
    std::string_view text = std::string_view(source_).substr(at_, tag - at_);
    if (sign == '-') {
      text = without_trailing_space(text, 0);
    } else if (sign != '+' && takes_indent) {
      const size_t line = text.rfind('\n') + 1;
      if ((line > 0 || line_starting_) && without_trailing_space(text, line).size() == line) {
        text = text.substr(0, line);
      }
    }
    add(TokenKind::data, at_, at_ + text.size());
  }

  static std::string_view without_trailing_space(std::string_view text, size_t from) {
    size_t end = from;
    for (size_t at = from; at < text.size();) {
      const Character c = character_at(text, at);
      at += c.size;
      if (!is_space(c.code)) end = at;
    }
    return text.substr(0, end);
  }

  void lex_comment(size_t tag, size_t body) {
    const size_t close = source_.find("#}", body);
    if (close == source_.npos) fail_at(token_at(tag), "this comment has no end");
    const char sign = close > body ? source_[close - 1] : '\0';
    advance(after_tag(close + 2, sign, true));
  }

  /// Where a tag ends whose closing bracket ends at `end`: - takes white space, else a newline
  /// goes.
  size_t after_tag(size_t end, char sign, bool trims) const {
    if (sign == '-') return skip_space(end);
    return end + (trims && sign != '+' && peek(end) == '\n');
  }

  size_t skip_space(size_t at) const {
    while (at < source_.size()) {
      const Character c = character_at(source_, at);
      if (!is_space(c.code)) break;
      at += c.size;
    }
    return at;
  }

  /// Where "word %}" ends, or 0 if that does not stand at `at`.
  size_t match_word_tag(size_t at, std::string_view word, bool trims) const {
    at = skip_space(at);
    if (source_.compare(at, word.size(), word) != 0) return 0;
    at = skip_space(at + word.size());
    const char sign = peek(at) == '-' || (trims && peek(at) == '+') ? peek(at) : '\0';
    at += sign != '\0';
    return source_.compare(at, 2, "%}") == 0 ? after_tag(at + 2, sign, trims) : 0;
  }

  void lex_raw(size_t tag, size_t body) {
    advance(body);
    for (size_t close = source_.find("{%", body); close != source_.npos;
         close = source_.find("{%", close + 1)) {
      const char sign = peek(close + 2) == '-' || peek(close + 2) == '+' ? peek(close + 2) : '\0';
      const size_t end = match_word_tag(close + 2 + (sign != '\0'), "endraw", true);
      if (end == 0) continue;
      add_stripped(close, sign, true);
      return advance(end);
    }
    fail_at(token_at(tag), "this raw block has no end");
  }

  // The inside of {{ }} or {% %}.
  void lex_tag(bool block) {
    std::string brackets;
    for (;;) {
      if (brackets.empty() && lex_tag_end(block)) return;
      if (at_ >= source_.size()) return;
      const Character c = character_at(source_, at_);
      if (is_space(c.code)) {
        advance(skip_space(at_));
      } else if (is_digit_of(source_[at_], 10)) {
        lex_number();
      } else if (u_isIDPart(c.code) || c.code == '_') {
        lex_name();
      } else if (c.code == '\'' || c.code == '"') {
        lex_string();
      } else {
        lex_symbol(brackets);
      }
    }
  }

  bool lex_tag_end(bool block) {
    const char sign = peek(at_) == '-' || (block && peek(at_) == '+') ? peek(at_) : '\0';
    const size_t close = at_ + (sign != '\0');
    if (source_.compare(close, 2, block ? "%}" : "}}") != 0) return false;
    add(block ? TokenKind::block_end : TokenKind::variable_end, at_, close + 2);
    advance(after_tag(close + 2, sign, block));
    return true;
  }

  size_t skip_digits(size_t at, int base) const {
    while (is_digit_of(peek(at), base) || (peek(at) == '_' && is_digit_of(peek(at + 1), base)))
      ++at;
    return at;
  }

  void lex_number() {
    size_t end = skip_digits(at_, 10);
    const bool fraction = peek(end) == '.' && is_digit_of(peek(end + 1), 10) && !after_dot();
    if (fraction) end = skip_digits(end + 1, 10);
    const size_t sign = (peek(end) | 32) == 'e' && (peek(end + 1) == '+' || peek(end + 1) == '-');
    const bool exponent =
        (peek(end) | 32) == 'e' && is_digit_of(peek(end + 1 + sign), 10) && !after_dot();
    if (exponent) end = skip_digits(end + 1 + sign, 10);
    if (!fraction && !exponent) return lex_integer();
    std::string digits = source_.substr(at_, end - at_);
    std::erase(digits, '_');
    // Unlike from_chars, strtod gives infinity and zero for what is out of range, as Python does.
    add(TokenKind::literal, at_, end).value = std::strtod(digits.c_str(), nullptr);
    advance(end);
  }

  bool after_dot() const { return at_ > 0 && source_[at_ - 1] == '.'; }

  void lex_integer() {
    const char prefix = source_[at_] == '0' ? peek(at_ + 1) | 32 : '\0';
    const int base = prefix == 'b' ? 2 : prefix == 'o' ? 8 : prefix == 'x' ? 16 : 10;
    const size_t first = base == 10 ? at_ : at_ + 2 + (peek(at_ + 2) == '_');
    size_t end = skip_digits(first, base);
    if (base == 10 && source_[at_] == '0') end = source_.find_first_not_of('0', at_);
    end = std::min(end, source_.size());
    std::string digits = source_.substr(first, end - first);
    std::erase(digits, '_');
    int64_t number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (result.ec != std::errc()) fail_at(token_at(at_), "this integer is empty or beyond 64 bits");
    add(TokenKind::literal, at_, end).value = number;
    advance(end);
  }

  void lex_name() {
    size_t end = at_;
    while (end < source_.size()) {
      const Character c = character_at(source_, end);
      if (!u_isIDPart(c.code) && c.code != '_') break;
      end += c.size;
    }
    add(TokenKind::name, at_, end);
    advance(end);
  }

  void lex_string() {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != source_[at_]) end += 1 + (source_[end] == '\\');
    if (end >= source_.size()) fail_at(token_at(at_), "this string has no end");
    Token& token = add(TokenKind::literal, at_, end + 1);
    token.value =
        std::string_view(unescape(std::string_view(source_).substr(at_ + 1, end - at_ - 1), token));
    advance(end + 1);
  }

  void lex_symbol(std::string& brackets) {
    constexpr std::string_view kSymbols[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                             "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                             ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};
    const auto symbol = std::find_if(std::begin(kSymbols), std::end(kSymbols), [&](auto text) {
      return source_.compare(at_, text.size(), text) == 0;
    });
    if (symbol == std::end(kSymbols)) fail_at(token_at(at_), "this character is unexpected");
    const char bracket = (*symbol)[0];
    if (bracket == '(' || bracket == '[' || bracket == '{') {
      brackets += bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
    } else if (bracket == ')' || bracket == ']' || bracket == '}') {
      if (!brackets.ends_with(bracket)) fail_at(token_at(at_), "this bracket was not opened");
      brackets.pop_back();
    }
    add(TokenKind::symbol, at_, at_ + symbol->size());
    advance(at_ + symbol->size());
  }

  char peek(size_t at) const { return at < source_.size() ? source_[at] : '\0'; }

  /// Takes the bytes up to `to`, which count for lines.
  void advance(size_t to) {
    line_starting_ = to > at_ ? source_[to - 1] == '\n' : line_starting_;
    at_ = to;
  }

  Token token_at(size_t begin) {
    for (; scanned_ < begin; ++scanned_) {
      if (source_[scanned_] != '\n') continue;
      ++line_;
      line_begin_ = scanned_ + 1;
    }
    Token token;
    token.line = line_;
    token.column =
        1 + count_characters(std::string_view(source_).substr(line_begin_, begin - line_begin_));
    return token;
  }

  Token& add(TokenKind kind, size_t begin, size_t end) {
    if (kind == TokenKind::data && begin == end) return nothing_;
    Token token = token_at(begin);
    token.kind = kind;
    token.text = source_.substr(begin, end - begin);
    return tokens_.emplace_back(std::move(token));
  }

  const std::string source_;
  std::vector<Token> tokens_;
  Token nothing_;
  size_t at_ = 0, scanned_ = 0, line_begin_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
};

}  // namespace

void fail_at(const Token& token, std::string_view message) {
  fail_input("chat template, line {}, column {}: {}", token.line, token.column, message);
}

std::vector<Token> tokenize(std::string_view source) {
  HONE_CHECK(is_utf8(source), "chat template: the text is not UTF-8");
  return Lexer(source).run();
}

}  // namespace hone::text::jinja
