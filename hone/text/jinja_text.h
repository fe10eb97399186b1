#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Strings of Jinja templates that know where their characters came from. Internal to hone/text.
namespace hone::text::jinja {

/// Where characters came from; the bits may be combined.
enum Mark : uint8_t {
  kTrusted = 0,    // the template itself and its variables
  kUntrusted = 1,  // strings of messages and tools
  kAssistant = 2   // written inside {% generation %}
};

/// Marks of the bytes from the end of the previous run up to `end`.
struct Run {
  size_t end = 0;
  uint8_t marks = kTrusted;
};

/// The longest string a template may make.
inline constexpr size_t kMaxTextBytes = size_t{64} << 20;

/// A UTF-8 string whose bytes carry marks. Runs cover all bytes; neighbours differ.
class Text {
 public:
  Text() = default;
  explicit Text(std::string_view bytes, uint8_t marks = kTrusted) { append(bytes, marks); }

  const std::string& bytes() const { return bytes_; }
  const std::vector<Run>& runs() const { return runs_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  /// Marks of the byte at `position`; of the last byte if there is none.
  uint8_t marks_at(size_t position) const;
  /// Marks that any byte has.
  uint8_t all_marks() const;

  /// More than kMaxTextBytes is an input error.
  void append(std::string_view bytes, uint8_t marks = kTrusted);
  void append(const Text& other) { append(other, 0, other.size()); }
  /// Bytes [begin, end) of `other`.
  void append(const Text& other, size_t begin, size_t end);
  Text slice(size_t begin, size_t end) const;
  void add_marks(uint8_t marks);

  /// Python's Markup: made by |safe and |escape; adding to it escapes HTML.
  bool markup = false;

 private:
  std::string bytes_;
  std::vector<Run> runs_;
};

/// A code point and the bytes it takes in valid UTF-8.
struct Character {
  int32_t code = 0;
  size_t size = 0;
};
/// The character at byte `position` of `bytes`, which must lie before the end.
Character character_at(std::string_view bytes, size_t position);
void append_utf8(std::string& bytes, int32_t code);
bool is_utf8(std::string_view bytes);

/// Code points in `bytes`, and the byte offset of the code point `index` (or the end).
size_t count_characters(std::string_view bytes);
size_t byte_offset(std::string_view bytes, size_t index);
/// Byte offsets of all characters and of the end.
std::vector<size_t> character_offsets(std::string_view bytes);

/// str.isspace, str.isprintable of one character in Python.
bool is_space(int32_t code);
bool is_printable(int32_t code);

/// First place at or after `from` where `bytes` holds `needle`, or npos; takes linear time.
size_t find_bytes(std::string_view bytes, std::string_view needle, size_t from = 0);

/// Applies `change(character, position)` to each character; what it gives keeps the marks.
template <typename Change>
Text map_characters(const Text& text, const Change& change) {
  Text result;
  result.markup = text.markup;
  size_t run = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = character_at(text.bytes(), at);
    while (text.runs()[run].end <= at) ++run;
    result.append(change(character, at), text.runs()[run].marks);
    at += character.size;
  }
  return result;
}

}  // namespace hone::text::jinja
