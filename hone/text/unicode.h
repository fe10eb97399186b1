#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone::text {

/// Bits of a character class; `kUpper` is Lu|Lt|Lm|Lo|M and `kLower` is Ll|Lm|Lo|M (o200k).
enum CharClass : uint16_t {
  kLetter = 1,
  kNumber = 2,
  kMark = 4,
  kSpace = 8,
  kPunctuation = 16,
  kSymbol = 32,
  kUpper = 64,
  kLower = 128,
  kWord = 256,
  kOther = 512,           // general category C
  kNonspacingMark = 1024  // Mn
};

/// Class bits of a code point, by ICU's Unicode data.
uint16_t char_class(char32_t code);

/// General categories L* and N*, and the White_Space property.
inline bool is_letter(char32_t code) {
  return char_class(code) & kLetter;
}
inline bool is_number(char32_t code) {
  return char_class(code) & kNumber;
}
inline bool is_white_space(char32_t code) {
  return char_class(code) & kSpace;
}

/// A code point and the number of bytes it takes.
struct Decoded {
  char32_t code = 0;
  uint32_t size = 0;
};

/// The character at `at` of valid UTF-8; size 0 at the end of the text.
inline Decoded decode_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {char32_t((first & 31) << 6 | (byte(1) & 63)), 2};
  if (first < 0xF0) return {char32_t((first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63)), 3};
  return {char32_t((first & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63)),
          4};
}

/// The character that ends just before `at` > 0.
Decoded decode_before(std::string_view text, size_t at);

/// Appends the UTF-8 form of a code point.
void append_utf8(std::string& out, char32_t code);
/// Characters of valid UTF-8.
size_t count_chars(std::string_view text);

/// Index of the first byte that is not UTF-8, or text.size().
size_t valid_utf8_prefix(std::string_view text);

/// Bytes of `text` as UTF-8 with U+FFFD for each maximal invalid part (Unicode 3.9, D93b). With
/// `held`, an incomplete character at the end goes there instead.
std::string utf8_lossy(std::string_view text, std::string* held = nullptr);

/// GPT-2's printable alias of a byte, and the byte of an alias (-1: none).
char32_t byte_alias(uint8_t byte);
int alias_byte(char32_t code);
std::string to_byte_aliases(std::string_view bytes);

}  // namespace hone::text
