#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/base/json.h"

namespace hone::text {

/// Byte-pair encoding (Sennrich et al., 1508.07909) by merge rank.
class Bpe {
 public:
  /// From the `model` object of tokenizer.json; an option that is not supported is an input error.
  explicit Bpe(const Json& model);

  /// The tokens of one piece, whose characters are all in the vocabulary, appended to `ids`.
  /// `lengths` gets the bytes of each token.
  void encode(std::string_view piece, std::vector<int32_t>& ids,
              std::vector<int64_t>& lengths) const;

  const std::unordered_map<std::string, int32_t>& vocabulary() const { return vocabulary_; }

 private:
  struct Merge {
    int32_t rank = 0, result = 0;
  };
  static uint64_t pair_key(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  void read_merges(const Json& merges);

  std::unordered_map<std::string, int32_t> vocabulary_;
  std::unordered_map<uint64_t, Merge> merges_;
  bool ignore_merges_ = false;
};

}  // namespace hone::text
