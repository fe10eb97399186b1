#include "hone/text/unicode.h"

#include <unicode/uchar.h>

#include <array>
#include <vector>

namespace hone::text {
namespace {

uint16_t class_of(char32_t code) {
  const auto point = static_cast<UChar32>(code);
  const uint32_t mask = U_GET_GC_MASK(point);
  uint16_t bits = 0;
  if (mask & U_GC_L_MASK) bits |= kLetter;
  if (mask & U_GC_N_MASK) bits |= kNumber;
  if (mask & U_GC_M_MASK) bits |= kMark;
  if (mask & U_GC_P_MASK) bits |= kPunctuation;
  if (mask & U_GC_S_MASK) bits |= kSymbol;
  if (mask & U_GC_C_MASK) bits |= kOther;
  if (mask & U_GC_MN_MASK) bits |= kNonspacingMark;
  const uint32_t either = U_GC_LM_MASK | U_GC_LO_MASK | U_GC_M_MASK;
  if (mask & (U_GC_LU_MASK | U_GC_LT_MASK | either)) bits |= kUpper;
  if (mask & (U_GC_LL_MASK | either)) bits |= kLower;
  if (u_hasBinaryProperty(point, UCHAR_WHITE_SPACE)) bits |= kSpace;
  if ((mask & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) ||
      u_hasBinaryProperty(point, UCHAR_ALPHABETIC) ||
      u_hasBinaryProperty(point, UCHAR_JOIN_CONTROL))
    bits |= kWord;
  return bits;
}

struct ByteAliases {
  std::array<char32_t, 256> of_byte{};
  std::array<int, 512> of_alias{};
  ByteAliases() {
    of_alias.fill(-1);
    char32_t next = 256;
    for (int b = 0; b < 256; ++b) {
      const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
      of_byte[b] = printable ? static_cast<char32_t>(b) : next++;
      of_alias[of_byte[b]] = b;
    }
  }
};

const ByteAliases& aliases() {
  static const ByteAliases table;
  return table;
}

/// Length of the valid character at `at`, or minus the length of the maximal invalid part there;
/// `cut` tells that the text ended within the character.
int sequence_length(std::string_view text, size_t at, bool& cut) {
  cut = false;
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(at);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return -1;
  const int need = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  uint8_t low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  for (int i = 1; i < need; ++i, low = 0x80, high = 0xBF) {
    if (at + i >= text.size()) {
      cut = true;
      return -i;
    }
    if (byte(at + i) < low || byte(at + i) > high) return -i;
  }
  return need;
}

}  // namespace

uint16_t char_class(char32_t code) {
  static const std::vector<uint16_t> table = [] {
    std::vector<uint16_t> classes(0x110000);
    for (char32_t c = 0; c < classes.size(); ++c) classes[c] = class_of(c);
    return classes;
  }();
  return table[code];
}

Decoded decode_before(std::string_view text, size_t at) {
  do --at;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80);
  return decode_at(text, at);
}

void append_utf8(std::string& out, char32_t code) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 63));
    }
    put(0x80 | (code >> 6 & 63));
  }
  put(0x80 | (code & 63));
}

size_t count_chars(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  return count;
}

size_t valid_utf8_prefix(std::string_view text) {
  bool cut;
  for (size_t at = 0; at < text.size();) {
    const int length = sequence_length(text, at, cut);
    if (length < 0) return at;
    at += length;
  }
  return text.size();
}

std::string utf8_lossy(std::string_view text, std::string* held) {
  std::string out;
  bool cut;
  for (size_t at = 0; at < text.size();) {
    const int length = sequence_length(text, at, cut);
    if (cut && held) {
      *held = text.substr(at);
      return out;
    }
    if (length > 0)
      out.append(text.substr(at, length));
    else
      out.append("\xEF\xBF\xBD");
    at += std::abs(length);
  }
  if (held) held->clear();
  return out;
}

char32_t byte_alias(uint8_t byte) {
  return aliases().of_byte[byte];
}

int alias_byte(char32_t code) {
  return code < 512 ? aliases().of_alias[code] : -1;
}

std::string to_byte_aliases(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_utf8(out, byte_alias(static_cast<uint8_t>(c)));
  return out;
}

}  // namespace hone::text
