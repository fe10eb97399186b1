#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone::io {

/// A token of a SentencePiece BPE vocabulary; the higher its score, the earlier it is merged.
struct ScoredToken {
  std::string text;
  double score = 0;
  bool mergeable = true;  // no control, unknown, unused or byte token: text never merges into these
};

/// The merges that a BPE vocabulary with scores stands for, most urgent first: every cut of a token
/// into two others, in the order of transformers' generate_merges, that is by score, then by the
/// lengths of the left and the right part, all falling; ties in the order of the vocabulary.
std::vector<std::pair<std::string, std::string>> merges_of(std::span<const ScoredToken> tokens);

}  // namespace hone::io
