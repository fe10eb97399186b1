#include "hone/io/score_merges.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace hone::io {
namespace {

struct Cut {
  double score;
  int64_t left_length, right_length;  // in characters
  int64_t left_id, right_id;
};

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> merges_of(std::span<const ScoredToken> tokens) {
  std::unordered_map<std::string_view, int64_t> ids;
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].mergeable) ids.emplace(tokens[id].text, static_cast<int64_t>(id));
  }
  std::vector<Cut> cuts;
  for (const ScoredToken& token : tokens) {
    if (!token.mergeable) continue;
    const std::string_view text = token.text;
    const int64_t length = std::count_if(text.begin(), text.end(), begins_character);
    const size_t first = cuts.size();
    int64_t left_length = 1;
    for (size_t at = 1; at < text.size(); ++at) {
      if (!begins_character(text[at])) continue;
      const auto left = ids.find(text.substr(0, at)), right = ids.find(text.substr(at));
      if (left != ids.end() && right != ids.end()) {
        cuts.push_back(
            {token.score, left_length, length - left_length, left->second, right->second});
      }
      ++left_length;
    }
    std::sort(cuts.begin() + static_cast<int64_t>(first), cuts.end(),
              [](const Cut& a, const Cut& b) {
                return std::tie(a.left_id, a.right_id) < std::tie(b.left_id, b.right_id);
              });
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
    return std::tie(a.score, a.left_length, a.right_length) >
           std::tie(b.score, b.left_length, b.right_length);
  });
  std::vector<std::pair<std::string, std::string>> merges;
  for (const Cut& cut : cuts)
    merges.emplace_back(tokens[cut.left_id].text, tokens[cut.right_id].text);
  return merges;
}

}  // namespace hone::io
