#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "hone/base/json.h"
#include "hone/text/tokenizer.h"

namespace hone::text {

/// One entry of `added_tokens`; the flags are those of Hugging Face tokenizers.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false, lstrip = false, rstrip = false, special = false;
};

/// A match of an added token, white space that it takes included.
struct AddedMatch {
  ByteSpan span;
  const AddedToken* token = nullptr;
};

/// The added tokens, found in a text before anything else: leftmost, then longest.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// From the `added_tokens` list of tokenizer.json.
  explicit AddedTokens(const Json& list);

  /// All matches in order; special tokens are not seen where they touch an `untrusted` span.
  std::vector<AddedMatch> find(std::string_view text, std::span<const ByteSpan> untrusted) const;

  const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  const AddedToken* match_at(std::string_view text, int64_t offset,
                             std::span<const ByteSpan> untrusted) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<char, std::vector<size_t>> by_first_byte_;  // longest first
};

}  // namespace hone::text
