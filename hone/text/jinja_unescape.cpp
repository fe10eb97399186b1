#include <charconv>

#include "hone/text/jinja_lexer.h"

namespace hone::text::jinja {
namespace {

/// The number of up to `count` digits at the front of `rest`, which are taken away; -1 if none.
int32_t take_number(std::string_view& rest, size_t count, int base) {
  uint32_t number = 0;
  const std::string_view digits = rest.substr(0, count);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (result.ec != std::errc()) return -1;
  rest.remove_prefix(result.ptr - digits.data());
  return number > 0x10FFFF ? -1 : static_cast<int32_t>(number);
}

int32_t take_hex(std::string_view& rest, size_t count, const Token& token) {
  const size_t before = rest.size();
  const int32_t code = take_number(rest, count, 16);
  if (code < 0 || before - rest.size() != count || (code >= 0xD800 && code <= 0xDFFF)) {
    fail_at(token, "this string has a wrong \\x, \\u or \\U escape");
  }
  return code;
}

}  // namespace

std::string unescape(std::string_view body, const Token& token) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
  std::string result;
  while (!body.empty()) {
    const size_t slash = std::min(body.find('\\'), body.size());
    result += body.substr(0, slash);
    body.remove_prefix(slash);
    if (body.size() < 2) break;
    const char letter = body[1];
    body.remove_prefix(2);
    if (const size_t known = kLetters.find(letter); known != kLetters.npos) {
      result += kMeanings[known];
    } else if (letter >= '0' && letter <= '7') {
      body = {body.data() - 1, body.size() + 1};
      append_utf8(result, take_number(body, 3, 8));
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      append_utf8(result, take_hex(body, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, token));
    } else if (letter == 'N') {
      fail_at(token, "\\N{name} is not supported: write the character itself");
    } else if (letter != '\n') {
      result += {'\\', letter};
    }
  }
  return result;
}

}  // namespace hone::text::jinja
