#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hone/text/json_fields.h"
#include "hone/text/pcre.h"
#include "hone/text/split_scanners.h"

namespace hone::text {

/// What Split and Replace search for: {"String": s} or {"Regex": r}.
class Pattern {
 public:
  explicit Pattern(const Fields& json);
  /// Matches from left to right, none empty.
  std::vector<ByteSpan> find_all(std::string_view text) const;
  /// find_all as a function that owns a copy of the pattern.
  std::function<std::vector<ByteSpan>(std::string_view)> find_all_of() const {
    return [pattern = *this](std::string_view text) { return pattern.find_all(text); };
  }

 private:
  std::string literal_;
  SplitScanner scanner_ = nullptr;
  std::optional<Regex> regex_;
};

/// Matches of a hand-written scanner, from left to right.
std::vector<ByteSpan> scan_all(SplitScanner scanner, std::string_view text);

}  // namespace hone::text
