#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hone {

/// Levenshtein distance in bytes.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate most like `word`: an equal last part after a dot first, then the edit distance.
/// Empty when there are no candidates.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace hone
