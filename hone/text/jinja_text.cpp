#include "hone/text/jinja_text.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "hone/base/check.h"

namespace hone::text::jinja {
namespace {

auto run_of(const std::vector<Run>& runs, size_t position) {
  return std::upper_bound(runs.begin(), runs.end(), position,
                          [](size_t place, const Run& run) { return place < run.end; });
}

}  // namespace

uint8_t Text::marks_at(size_t position) const {
  if (runs_.empty()) return kTrusted;
  const auto run = run_of(runs_, position);
  return run == runs_.end() ? runs_.back().marks : run->marks;
}

uint8_t Text::all_marks() const {
  uint8_t marks = kTrusted;
  for (const Run& run : runs_) marks |= run.marks;
  return marks;
}

void Text::append(std::string_view bytes, uint8_t marks) {
  if (bytes.empty()) return;
  HONE_CHECK(bytes.size() <= kMaxTextBytes - bytes_.size(),
             "a string would grow beyond the limit of {} MiB", kMaxTextBytes >> 20);
  bytes_ += bytes;
  if (!runs_.empty() && runs_.back().marks == marks) {
    runs_.back().end = bytes_.size();
  } else {
    runs_.push_back({bytes_.size(), marks});
  }
}

void Text::append(const Text& other, size_t begin, size_t end) {
  const std::string_view bytes = other.bytes_;
  for (auto run = run_of(other.runs_, begin); begin < end; ++run) {
    const size_t stop = std::min(end, run->end);
    append(bytes.substr(begin, stop - begin), run->marks);
    begin = stop;
  }
}

Text Text::slice(size_t begin, size_t end) const {
  Text result;
  result.markup = markup;
  result.append(*this, begin, end);
  return result;
}

void Text::add_marks(uint8_t marks) {
  std::vector<Run> merged;
  for (const Run& run : runs_) {
    const uint8_t both = run.marks | marks;
    if (!merged.empty() && merged.back().marks == both) {
      merged.back().end = run.end;
    } else {
      merged.push_back({run.end, both});
    }
  }
  runs_ = std::move(merged);
}

Character character_at(std::string_view bytes, size_t position) {
  size_t next = position;
  UChar32 code = 0;
  U8_NEXT(bytes.data(), next, bytes.size(), code);
  return {code, next - position};
}

void append_utf8(std::string& bytes, int32_t code) {
  char buffer[U8_MAX_LENGTH];
  size_t size = 0;
  U8_APPEND_UNSAFE(buffer, size, code);
  bytes.append(buffer, size);
}

bool is_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const Character character = character_at(bytes, at);
    if (character.code < 0) return false;
    at += character.size;
  }
  return true;
}

size_t count_characters(std::string_view bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

size_t byte_offset(std::string_view bytes, size_t index) {
  size_t at = 0;
  while (index-- > 0 && at < bytes.size()) at += character_at(bytes, at).size;
  return at;
}

std::vector<size_t> character_offsets(std::string_view bytes) {
  std::vector<size_t> offsets;
  for (size_t at = 0; at < bytes.size(); at += character_at(bytes, at).size) offsets.push_back(at);
  offsets.push_back(bytes.size());
  return offsets;
}

bool is_space(int32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return code == 0x85 || u_charType(code) == U_SPACE_SEPARATOR || code == 0x2028 || code == 0x2029;
}

bool is_printable(int32_t code) {
  if (code == ' ') return true;
  return !(U_MASK(u_charType(code)) & (U_GC_C_MASK | U_GC_Z_MASK));
}

size_t find_bytes(std::string_view bytes, std::string_view needle, size_t from) {
  if (from > bytes.size()) return bytes.npos;
  const void* found =
      ::memmem(bytes.data() + from, bytes.size() - from, needle.data(), needle.size());
  return found ? static_cast<const char*>(found) - bytes.data() : bytes.npos;
}

}  // namespace hone::text::jinja
