#include "hone/text/jinja_case.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include <utility>

#include "hone/base/check.h"

namespace hone::text::jinja {
namespace {

enum class Case { upper, lower, title, fold };

/// The full mapping of one character, which may be several.
std::string map_code(int32_t code, Case to) {
  std::string result;
  if (code < 0x80) {
    const bool up = to == Case::upper || to == Case::title;
    append_utf8(result, up ? u_toupper(code) : u_tolower(code));
    return result;
  }
  UChar source[2], target[16];
  int32_t source_size = 0, size = 0;
  UErrorCode status = U_ZERO_ERROR;
  U16_APPEND_UNSAFE(source, source_size, code);
  if (to == Case::upper) size = u_strToUpper(target, 16, source, source_size, "", &status);
  if (to == Case::lower) size = u_strToLower(target, 16, source, source_size, "", &status);
  if (to == Case::title) size = u_strToTitle(target, 16, source, source_size, nullptr, "", &status);
  if (to == Case::fold)
    size = u_strFoldCase(target, 16, source, source_size, U_FOLD_CASE_DEFAULT, &status);
  HONE_ASSERT(U_SUCCESS(status), "case mapping of U+{:04X}: {}", code, u_errorName(status));
  for (int32_t i = 0; i < size;) {
    UChar32 mapped = 0;
    U16_NEXT(target, i, size, mapped);
    append_utf8(result, mapped);
  }
  return result;
}

bool is_cased(int32_t code) {
  return u_hasBinaryProperty(code, UCHAR_CASED);
}

/// A capital sigma ends a word if a cased letter stands before it and none after it.
bool is_final_sigma(const std::string& bytes, size_t at) {
  const auto ignorable = [](int32_t code) {
    return u_hasBinaryProperty(code, UCHAR_CASE_IGNORABLE);
  };
  size_t before = at;
  int32_t code = 0;
  do {
    if (before == 0) return false;
    while ((bytes[--before] & 0xC0) == 0x80) {
    }
    code = character_at(bytes, before).code;
  } while (ignorable(code));
  if (!is_cased(code)) return false;
  for (size_t after = at + 2; after < bytes.size();) {
    const Character next = character_at(bytes, after);
    if (!ignorable(next.code)) return !is_cased(next.code);
    after += next.size;
  }
  return true;
}

std::string lower_at(const std::string& bytes, size_t at, int32_t code) {
  constexpr int32_t kCapitalSigma = 0x3A3;
  if (code == kCapitalSigma) return is_final_sigma(bytes, at) ? "ς" : "σ";
  return map_code(code, Case::lower);
}

}  // namespace

Text upper(const Text& text) {
  return map_characters(text, [](Character c, size_t) { return map_code(c.code, Case::upper); });
}

Text lower(const Text& text) {
  return map_characters(text,
                        [&](Character c, size_t at) { return lower_at(text.bytes(), at, c.code); });
}

Text title(const Text& text) {
  bool within = false;
  return map_characters(text, [&](Character c, size_t at) {
    const bool first = !std::exchange(within, is_cased(c.code));
    return first ? map_code(c.code, Case::title) : lower_at(text.bytes(), at, c.code);
  });
}

Text capitalize(const Text& text) {
  return map_characters(text, [&](Character c, size_t at) {
    return at == 0 ? map_code(c.code, Case::title) : lower_at(text.bytes(), at, c.code);
  });
}

Text swap_case(const Text& text) {
  return map_characters(text, [&](Character c, size_t at) {
    if (u_isUUppercase(c.code)) return lower_at(text.bytes(), at, c.code);
    return u_isULowercase(c.code) ? map_code(c.code, Case::upper) : text.bytes().substr(at, c.size);
  });
}

Text fold_case(const Text& text) {
  return map_characters(text, [](Character c, size_t) { return map_code(c.code, Case::fold); });
}

bool is_alpha(int32_t code) {
  return u_isalpha(code);
}

bool is_decimal(int32_t code) {
  return u_getIntPropertyValue(code, UCHAR_NUMERIC_TYPE) == U_NT_DECIMAL;
}
bool is_digit(int32_t code) {
  return is_decimal(code) || u_getIntPropertyValue(code, UCHAR_NUMERIC_TYPE) == U_NT_DIGIT;
}
bool is_numeric(int32_t code) {
  return u_getIntPropertyValue(code, UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}

namespace {

/// Whether some characters are `wanted` and none is `refused` or a title-case letter.
bool has_only(const Text& text, UBool (*wanted)(UChar32), UBool (*refused)(UChar32)) {
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text.bytes(), at);
    if (refused(c.code) || u_istitle(c.code)) return false;
    any |= wanted(c.code);
    at += c.size;
  }
  return any;
}

}  // namespace

bool is_upper(const Text& text) {
  return has_only(text, u_isUUppercase, u_isULowercase);
}
bool is_lower(const Text& text) {
  return has_only(text, u_isULowercase, u_isUUppercase);
}

bool is_title(const Text& text) {
  bool any = false, within = false;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text.bytes(), at);
    const bool starts = u_isUUppercase(c.code) || u_istitle(c.code);
    const bool goes_on = u_isULowercase(c.code);
    if ((starts && within) || (goes_on && !within)) return false;
    within = starts || goes_on;
    any |= within;
    at += c.size;
  }
  return any;
}

}  // namespace hone::text::jinja
