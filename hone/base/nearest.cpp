#include "hone/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace hone {
namespace {

std::string_view leaf(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i) + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto badness = [&](const std::string& candidate) {
    return std::pair(leaf(candidate) != leaf(word), edit_distance(word, candidate));
  };
  const auto best =
      std::min_element(candidates.begin(), candidates.end(),
                       [&](const auto& a, const auto& b) { return badness(a) < badness(b); });
  return best == candidates.end() ? "" : *best;
}

}  // namespace hone
