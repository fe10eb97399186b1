#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::text {

/// One code point of a UTF-8 text: its value and its bytes.
struct CodePoint {
  char32_t value = 0;
  int64_t size = 0;
};

/// The code point at byte `offset`; the text must be valid UTF-8.
CodePoint code_point_at(std::string_view text, int64_t offset);

/// The first byte that is not valid UTF-8, or -1.
int64_t find_invalid_utf8(std::string_view text);

/// Every maximal invalid part becomes one U+FFFD (Unicode 15, section 3.9, as Rust and WHATWG do).
std::string replace_invalid_utf8(std::string_view bytes);

/// Appends the UTF-8 form of a code point.
void append_utf8(std::string& text, char32_t value);

/// Unicode general categories L*, N* and the White_Space property, as regular expressions use them.
bool is_letter(char32_t value);
bool is_number(char32_t value);
bool is_white_space(char32_t value);

/// GPT-2's printable alphabet for bytes: byte 32 is "Ġ" and so on.
std::string_view byte_symbol(uint8_t byte);
/// The byte of a symbol, or -1.
int symbol_byte(char32_t symbol);

}  // namespace hone::text
