#include "hone/text/unicode.h"

#include <unicode/uchar.h>

#include <array>
#include <vector>

namespace hone::text {
namespace {

enum Class : uint8_t { kLetter = 1, kNumber = 2, kSpace = 4 };

uint8_t classify(char32_t value) {
  const auto code = static_cast<UChar32>(value);
  const uint32_t mask = U_GET_GC_MASK(code);
  return static_cast<uint8_t>((mask & U_GC_L_MASK ? kLetter : 0) |
                              (mask & U_GC_N_MASK ? kNumber : 0) |
                              (u_isUWhiteSpace(code) ? kSpace : 0));
}

/// Whether `byte` may follow `start`, a proper start of a character.
bool could_continue(std::string_view start, uint8_t byte) {
  const auto first = static_cast<uint8_t>(start[0]);
  const size_t length = first < 0xC2   ? 1
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 1;
  if (start.size() >= length || (byte & 0xC0) != 0x80) return false;
  if (start.size() > 1) return true;
  return !(first == 0xE0 && byte < 0xA0) && !(first == 0xED && byte > 0x9F) &&
         !(first == 0xF0 && byte < 0x90) && !(first == 0xF4 && byte > 0x8F);
}

/// Classes of the basic multilingual plane; others are asked from ICU.
uint8_t class_of(char32_t value) {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> classes(0x10000);
    for (char32_t c = 0; c < 0x10000; ++c) classes[c] = classify(c);
    return classes;
  }();
  return value < 0x10000 ? table[value] : classify(value);
}

struct ByteAlphabet {
  std::array<std::string, 256> symbols;
  std::array<int, 0x150> bytes;
};

const ByteAlphabet& byte_alphabet() {
  static const ByteAlphabet alphabet = [] {
    ByteAlphabet result;
    result.bytes.fill(-1);
    char32_t next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) ||
                             (byte >= 174 && byte <= 255);
      const char32_t symbol = printable ? static_cast<char32_t>(byte) : next++;
      append_utf8(result.symbols[byte], symbol);
      result.bytes[symbol] = byte;
    }
    return result;
  }();
  return alphabet;
}

}  // namespace

CodePoint code_point_at(std::string_view text, int64_t offset) {
  const auto byte = [&](int64_t i) { return static_cast<uint8_t>(text[offset + i]); };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3Fu), 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), 3};
  return {
      (first & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu),
      4};
}

int64_t find_invalid_utf8(std::string_view text) {
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t i = 0; i < size;) {
    const auto first = static_cast<uint8_t>(text[i]);
    const int64_t length = first < 0x80   ? 1
                           : first < 0xC2 ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
    if (length == 0 || i + length > size) return i;
    for (int64_t k = 1; k < length; ++k) {
      if ((static_cast<uint8_t>(text[i + k]) & 0xC0) != 0x80) return i;
    }
    const char32_t value = code_point_at(text, i).value;
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return i;
    i += length;
  }
  return -1;
}

std::string replace_invalid_utf8(std::string_view bytes) {
  std::string valid;
  while (true) {
    const int64_t invalid = find_invalid_utf8(bytes);
    if (invalid < 0) return valid.append(bytes);
    valid.append(bytes.substr(0, invalid)).append("\xEF\xBF\xBD");
    bytes.remove_prefix(invalid);
    // The longest start of a character, which is at least one byte.
    size_t length = 1;
    while (length < 4 && length < bytes.size() &&
           could_continue(bytes.substr(0, length), static_cast<uint8_t>(bytes[length]))) {
      ++length;
    }
    bytes.remove_prefix(length);
  }
}

void append_utf8(std::string& text, char32_t value) {
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | value >> 6);
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | value >> 12);
    text += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | value >> 18);
    text += static_cast<char>(0x80 | (value >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  }
}

bool is_letter(char32_t value) {
  return class_of(value) & kLetter;
}
bool is_number(char32_t value) {
  return class_of(value) & kNumber;
}
bool is_white_space(char32_t value) {
  return class_of(value) & kSpace;
}

std::string_view byte_symbol(uint8_t byte) {
  return byte_alphabet().symbols[byte];
}

int symbol_byte(char32_t symbol) {
  const auto& bytes = byte_alphabet().bytes;
  return symbol < bytes.size() ? bytes[symbol] : -1;
}

}  // namespace hone::text
