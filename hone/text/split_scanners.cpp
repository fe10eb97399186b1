#include "hone/text/split_scanners.h"

#include <string>
#include <utility>

#include "hone/text/unicode.h"

namespace hone::text {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
    R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|)"
    R"('t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|)"
    R"('t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view kDeepSeekNumbers = R"(\p{N}{1,3})";
constexpr std::string_view kDeepSeekCjk = "[一-龥\xE3\x81\x80-ゟ゠-ヿ]+";
constexpr std::string_view kDeepSeekWords =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

/// Checkpoints write a line end in a pattern either as itself or escaped.
std::string escape_line_ends(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == '\r')
      out += "\\r";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

struct Char {
  char32_t code = 0;
  uint32_t size = 0;
  uint16_t bits = 0;
  bool is(uint16_t mask) const { return size && (bits & mask); }
  bool newline() const { return size && (code == '\r' || code == '\n'); }
};

Char char_at(std::string_view text, size_t at) {
  const Decoded next = decode_at(text, at);
  if (!next.size) return {};
  return {next.code, next.size, char_class(next.code)};
}

size_t skip(std::string_view text, size_t at, uint16_t mask) {
  for (Char c = char_at(text, at); c.is(mask); c = char_at(text, at)) at += c.size;
  return at;
}

size_t skip_not(std::string_view text, size_t at, uint16_t mask) {
  for (Char c = char_at(text, at); c.size && !(c.bits & mask); c = char_at(text, at)) at += c.size;
  return at;
}

size_t skip_newlines(std::string_view text, size_t at, char also = '\n') {
  while (at < text.size() && (text[at] == '\r' || text[at] == '\n' || text[at] == also)) ++at;
  return at;
}

/// `\s+(?!\S)|\s+` at a space.
size_t scan_spaces(std::string_view text, size_t at) {
  const size_t end = skip(text, at, kSpace);
  if (end == text.size()) return end;
  const size_t before_last = end - decode_before(text, end).size;
  return before_last > at ? before_last : end;
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` at a space.
size_t scan_lines(std::string_view text, size_t at) {
  const size_t end = skip(text, at, kSpace);
  for (size_t last = end; last > at; --last)
    if (text[last - 1] == '\r' || text[last - 1] == '\n') return last;
  return scan_spaces(text, at);
}

/// The end of 's, 't, 're, 've, 'm, 'll or 'd at `at`, or `at`.
size_t scan_contraction(std::string_view text, size_t at, bool any_case) {
  if (at >= text.size() || text[at] != '\'') return at;
  auto letter = [&](size_t i) -> char32_t {
    const char32_t c = decode_at(text, i).code;
    return any_case && c >= 'A' && c <= 'Z' ? c + 32 : c;
  };
  const char32_t first = letter(at + 1), second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  // ſ folds to s.
  if (any_case && first == 0x17F) return at + 3;
  if ((first == 'r' || first == 'v') && second == 'e') return at + 3;
  if (first == 'l' && second == 'l') return at + 3;
  return at;
}

size_t scan_numbers(std::string_view text, size_t at, int most) {
  for (Char c = char_at(text, at); c.is(kNumber) && most > 0; --most, c = char_at(text, at))
    at += c.size;
  return at;
}

/// Llama-3's pattern with `word` as the class of a word's characters and at most `digits` digits.
size_t scan_llama(std::string_view text, size_t at, uint16_t word, int digits) {
  if (const size_t end = scan_contraction(text, at, true); end > at) return end;
  const Char c = char_at(text, at);
  if (c.is(word)) return skip(text, at, word);
  if (c.is(kNumber)) return scan_numbers(text, at, digits);
  if (!c.newline() && char_at(text, at + c.size).is(word)) return skip(text, at + c.size, word);
  const uint16_t apart = kSpace | kNumber | kLetter | word;
  const size_t body = at + (c.code == ' ');
  if (const size_t end = skip_not(text, body, apart); end > body) return skip_newlines(text, end);
  return scan_lines(text, at);
}

size_t scan_llama3(std::string_view text, size_t at) {
  return scan_llama(text, at, kLetter, 3);
}
size_t scan_qwen2(std::string_view text, size_t at) {
  return scan_llama(text, at, kLetter, 1);
}
size_t scan_qwen35(std::string_view text, size_t at) {
  return scan_llama(text, at, kLetter | kMark, 1);
}

/// `U*W+` with U = kUpper and W = kLower, which overlap: greedy, giving back as a regex does.
size_t scan_upper_lower(std::string_view text, size_t at) {
  const size_t upper_end = skip(text, at, kUpper);
  if (const size_t end = skip(text, upper_end, kLower); end > upper_end) return end;
  for (size_t end = upper_end; end > at;) {
    const Decoded last = decode_before(text, end);
    if (char_class(last.code) & kLower) return end;
    end -= last.size;
  }
  return at;
}

size_t scan_upper(std::string_view text, size_t at) {
  return skip(text, at, kUpper);
}

size_t scan_o200k(std::string_view text, size_t at) {
  const Char c = char_at(text, at);
  const bool may_lead = !c.newline() && !c.is(kLetter | kNumber);
  for (const SplitScanner word : {scan_upper_lower, scan_upper})
    for (const size_t start : {may_lead ? at + c.size : at, at})
      if (const size_t end = word(text, start); end > start)
        return scan_contraction(text, end, true);
  if (c.is(kNumber)) return scan_numbers(text, at, 3);
  const size_t body = at + (c.code == ' ');
  if (const size_t end = skip_not(text, body, kSpace | kLetter | kNumber); end > body)
    return skip_newlines(text, end, '/');
  return scan_lines(text, at);
}

size_t scan_three_numbers(std::string_view text, size_t at) {
  return scan_numbers(text, at, 3);
}

size_t scan_cjk(std::string_view text, size_t at) {
  for (Decoded c = decode_at(text, at);
       (c.code >= 0x4E00 && c.code <= 0x9FA5) || (c.code >= 0x3040 && c.code <= 0x30FF);
       c = decode_at(text, at))
    at += c.size;
  return at;
}

size_t scan_deepseek_words(std::string_view text, size_t at) {
  auto ascii_letter = [&](size_t i) {
    return i < text.size() && ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z');
  };
  const Char c = char_at(text, at);
  if (c.code < 0x80 && c.is(kPunctuation | kSymbol) && ascii_letter(at + 1)) {
    while (ascii_letter(++at)) continue;
    return at;
  }
  if (c.is(kLetter | kMark)) return skip(text, at, kLetter | kMark);
  const size_t next = at + c.size;
  if (!c.newline() && !c.is(kPunctuation | kSymbol) && char_at(text, next).is(kLetter | kMark))
    return skip(text, next, kLetter | kMark);
  const size_t body = at + (c.code == ' ');
  if (const size_t end = skip(text, body, kPunctuation | kSymbol); end > body)
    return skip_newlines(text, end);
  return c.is(kSpace) ? scan_lines(text, at) : at;
}

}  // namespace

size_t scan_gpt2(std::string_view text, size_t at) {
  if (const size_t end = scan_contraction(text, at, false); end > at) return end;
  const size_t body = at + (text[at] == ' ');
  const Char c = char_at(text, body);
  if (c.is(kLetter)) return skip(text, body, kLetter);
  if (c.is(kNumber)) return skip(text, body, kNumber);
  if (c.size && !c.is(kSpace)) return skip_not(text, body, kSpace | kLetter | kNumber);
  return scan_spaces(text, at);
}

SplitScanner find_scanner(std::string_view pattern) {
  static constexpr std::pair<std::string_view, SplitScanner> kKnown[] = {
      {kGpt2, scan_gpt2},       {kLlama3, scan_llama3},
      {kQwen2, scan_qwen2},     {kQwen35, scan_qwen35},
      {kO200k, scan_o200k},     {kDeepSeekNumbers, scan_three_numbers},
      {kDeepSeekCjk, scan_cjk}, {kDeepSeekWords, scan_deepseek_words}};
  const std::string escaped = escape_line_ends(pattern);
  for (const auto& [known, scanner] : kKnown)
    if (known == escaped) return scanner;
  return nullptr;
}

}  // namespace hone::text
