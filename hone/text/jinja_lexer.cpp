#include "hone/text/jinja_lexer.h"

#include <algorithm>
#include <cctype>

#include "hone/text/jinja_value.h"
#include "hone/text/unicode.h"

namespace hone::text::jinja {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f\v";

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {
    if (source_.ends_with('\n')) source_.remove_suffix(1);
  }

  std::vector<Token> run() {
    while (position_ < source_.size()) lex_data();
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  char peek(size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  void advance(size_t count) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<int64_t>(position_),
                                         source_.begin() + static_cast<int64_t>(position_ + count),
                                         '\n'));
    position_ += count;
  }

  /// The next "{{", "{%" or "{#", or the end.
  size_t find_tag() const {
    for (size_t i = position_; i + 1 < source_.size(); ++i) {
      const char next = source_[i + 1];
      if (source_[i] == '{' && (next == '{' || next == '%' || next == '#')) return i;
    }
    return source_.size();
  }

  /// Takes the data before a tag, with the white space that the tag eats taken off.
  void lex_data() {
    const size_t tag = find_tag();
    std::string_view data = source_.substr(position_, tag - position_);
    if (tag < source_.size()) {
      const char kind = source_[tag + 1], control = tag + 2 < source_.size() ? source_[tag + 2] : 0;
      if (control == '-') {
        data = data.substr(0, data.find_last_not_of(kSpaces) + 1);
      } else if (kind != '{' && control != '+') {
        const size_t last = data.find_last_not_of(" \t");
        const bool line_start =
            last == std::string_view::npos ? at_line_start_ : data[last] == '\n';
        if (line_start) data = data.substr(0, last == std::string_view::npos ? 0 : last + 1);
      }
    }
    if (!data.empty()) add(TokenKind::data, std::string(data));
    advance(tag - position_);
    if (tag < source_.size()) lex_tag();
  }

  void lex_tag() {
    const char kind = source_[position_ + 1];
    const int start_line = line_;
    advance(2);
    if (peek() == '-' || peek() == '+') advance(1);
    if (kind == '#') {
      const size_t end = source_.find("#}", position_);
      if (end == std::string_view::npos)
        fail_template("line {}: a comment does not end", start_line);
      const bool minus = end > position_ && source_[end - 1] == '-';
      const bool plus = end > position_ && source_[end - 1] == '+';
      advance(end + 2 - position_);
      after_tag(minus, plus, true);
      return;
    }
    const bool block = kind == '%';
    if (block && lex_raw(start_line)) return;
    add(block ? TokenKind::block_begin : TokenKind::output_begin, "");
    lex_inside(block ? "%}" : "}}", start_line);
  }

  /// What follows a tag: "-" eats white space, a block eats one newline.
  void after_tag(bool minus, bool plus, bool block) {
    if (minus) {
      while (position_ < source_.size() && kSpaces.find(peek()) != std::string_view::npos)
        advance(1);
    } else if (block && !plus && peek() == '\n') {
      advance(1);
    }
    at_line_start_ = position_ > 0 && source_[position_ - 1] == '\n';
  }

  bool lex_raw(int start_line) {
    size_t i = source_.find_first_not_of(kSpaces, position_);
    if (i == std::string_view::npos || !source_.substr(i).starts_with("raw")) return false;
    i = source_.find_first_not_of(kSpaces, i + 3);
    if (i == std::string_view::npos) return false;
    const bool minus = source_[i] == '-';
    i += minus;
    if (!source_.substr(i).starts_with("%}")) return false;
    advance(i + 2 - position_);
    after_tag(minus, false, true);
    for (size_t tag = source_.find("{%", position_); tag != std::string_view::npos;
         tag = source_.find("{%", tag + 1)) {
      size_t j = tag + 2;
      const bool left = j < source_.size() && source_[j] == '-';
      j = source_.find_first_not_of(kSpaces, j + left);
      if (j == std::string_view::npos || !source_.substr(j).starts_with("endraw")) continue;
      j = source_.find_first_not_of(kSpaces, j + 6);
      if (j == std::string_view::npos) continue;
      const bool right = source_[j] == '-';
      if (!source_.substr(j + right).starts_with("%}")) continue;
      std::string_view data = source_.substr(position_, tag - position_);
      if (left) data = data.substr(0, data.find_last_not_of(kSpaces) + 1);
      if (!data.empty()) add(TokenKind::data, std::string(data));
      advance(j + right + 2 - position_);
      after_tag(right, false, true);
      return true;
    }
    fail_template("line {}: a raw block does not end", start_line);
  }

  void lex_inside(std::string_view end, int start_line) {
    int depth = 0;
    while (true) {
      while (position_ < source_.size() && kSpaces.find(peek()) != std::string_view::npos)
        advance(1);
      if (position_ >= source_.size()) fail_template("line {}: a tag does not end", start_line);
      const std::string_view rest = source_.substr(position_);
      const bool control = peek() == '-' || peek() == '+';
      if (depth == 0 && (rest.starts_with(end) || (control && rest.substr(1).starts_with(end)))) {
        const char sign = peek();
        advance(control ? 3 : 2);
        const bool block = end == "%}";
        add(block ? TokenKind::block_end : TokenKind::output_end, "");
        after_tag(control && sign == '-', control && sign == '+', block);
        return;
      }
      lex_token(depth);
    }
  }

  void lex_token(int& depth) {
    const char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c))) return lex_number();
    if (is_name_char(c)) {
      size_t end = position_;
      while (end < source_.size() && is_name_char(source_[end])) ++end;
      add(TokenKind::name, std::string(source_.substr(position_, end - position_)));
      return advance(end - position_);
    }
    if (c == '"' || c == '\'') return lex_string(c);
    for (std::string_view symbol : {"**", "//", "==", "!=", "<=", ">="}) {
      if (source_.substr(position_).starts_with(symbol)) {
        add(TokenKind::symbol, std::string(symbol));
        return advance(2);
      }
    }
    if (std::string_view("+-*/%~|.,:()[]{}=<>").find(c) == std::string_view::npos) {
      fail_template("line {}: unexpected '{}'", line_, c);
    }
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    add(TokenKind::symbol, std::string(1, c));
    advance(1);
  }

  void lex_number() {
    size_t end = position_;
    bool fraction = false;
    while (end < source_.size()) {
      const char c = source_[end];
      const bool digit = std::isdigit(static_cast<unsigned char>(c)) || c == '_';
      const bool point = c == '.' && !fraction && end + 1 < source_.size() &&
                         std::isdigit(static_cast<unsigned char>(source_[end + 1]));
      const bool exponent = (c == 'e' || c == 'E') && end + 1 < source_.size();
      if (!digit && !point && !exponent) break;
      fraction |= point || exponent;
      end += exponent && (source_[end + 1] == '-' || source_[end + 1] == '+') ? 2 : 1;
    }
    std::string text(source_.substr(position_, end - position_));
    std::erase(text, '_');
    add(fraction ? TokenKind::number : TokenKind::integer, text);
    advance(end - position_);
  }

  void lex_string(char quote) {
    const int start_line = line_;
    std::string text;
    size_t i = position_ + 1;
    for (; i < source_.size() && source_[i] != quote; ++i) {
      if (source_[i] == '\\' && i + 1 < source_.size()) {
        i = append_escape(i + 1, text);
      } else {
        text += source_[i];
      }
    }
    if (i >= source_.size()) fail_template("line {}: a string does not end", start_line);
    add(TokenKind::string, text);
    advance(i + 1 - position_);
  }

  /// Appends the character of the escape whose letter is at `i`; gives its last byte.
  size_t append_escape(size_t i, std::string& text) const {
    static constexpr std::string_view kLetters = "ntrbfav0";
    const char c = source_[i];
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0 && i + digits < source_.size()) {
      const std::string hex(source_.substr(i + 1, digits));
      if (hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
        append_utf8(text, static_cast<char32_t>(std::stoul(hex, nullptr, 16)));
        return i + digits;
      }
    }
    const size_t known = kLetters.find(c);
    if (c == '\n') return i;
    if (known != std::string_view::npos) {
      text += std::string_view("\n\t\r\b\f\a\v\0", 8)[known];
    } else if (c == '\\' || c == '\'' || c == '"') {
      text += c;
    } else {
      text += '\\';
      text += c;
    }
    return i;
  }

  std::string_view source_;
  size_t position_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  std::string unix_lines;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      unix_lines += source[i];
    } else if (i + 1 >= source.size() || source[i + 1] != '\n') {
      unix_lines += '\n';
    }
  }
  return Lexer(unix_lines).run();
}

}  // namespace hone::text::jinja
