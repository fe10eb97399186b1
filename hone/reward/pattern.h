#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone::reward {

/// A compiled PCRE2 pattern over UTF-8 (invalid bytes match nothing), usable from several threads.
/// A match that needs more than a million steps counts as no match.
class Pattern {
 public:
  /// An input error names the pattern, the place and the cause.
  explicit Pattern(const std::string& pattern);

  /// Whether the pattern matches somewhere in the text.
  bool found_in(std::string_view text) const { return !search(text, 0, 0).empty(); }
  /// Whether the pattern matches the text from its first to its last byte.
  bool matches(std::string_view text) const;
  /// Group 0 (the match), 1, 2 … of the last of all matches, left to right without overlap; a group
  /// that took no part is empty. No element when nothing matches.
  std::vector<std::string_view> last_match(std::string_view text) const;
  /// Number of capture groups, group 0 not counted.
  int group_count() const;

 private:
  std::vector<std::string_view> search(std::string_view text, size_t from, uint32_t options) const;
  std::shared_ptr<const void> code_;
};

}  // namespace hone::reward
