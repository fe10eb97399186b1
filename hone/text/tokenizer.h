#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/files.h"

namespace hone::text {

/// Bytes [begin, end) of a text.
struct ByteSpan {
  int64_t begin = 0, end = 0;
};

/// Token ids and, for each, the bytes of the input text that it came from.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<ByteSpan> offsets;
};

/// A tokenizer.json pipeline (Hugging Face tokenizers 0.23): normalizer, pre-tokenizer, model,
/// post-processor, decoder, added tokens. Immutable after loading; encode and decode may be called
/// from several threads.
class Tokenizer {
 public:
  /// Builds from the text of a tokenizer.json; an unknown component is an input error naming it.
  static Tokenizer from_json(std::string_view json, std::string_view origin = "tokenizer.json");
  static Tokenizer from_file(const Path& path);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Ids of `text`, which must be UTF-8. `add_special_tokens` runs the post-processor (bos, eos).
  std::vector<int32_t> encode(std::string_view text, bool add_special_tokens = true) const;

  /// As encode, with offsets. Within `untrusted` spans (sorted, disjoint) no special added token is
  /// recognised: what a user typed can never become a control token.
  Encoding encode_with_offsets(std::string_view text, bool add_special_tokens,
                               std::span<const ByteSpan> untrusted = {}) const;

  /// Text of the ids through the decoder; `skip_special_tokens` drops special added tokens. Ids
  /// that are no token add nothing.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens = true) const;

  std::optional<int32_t> token_to_id(std::string_view token) const;
  /// The token's raw form in the vocabulary, e.g. "Ġthe"; an id out of range is an input error.
  std::string id_to_token(int32_t id) const;
  bool is_special(int32_t id) const;
  /// One more than the largest id, added tokens included.
  int32_t vocabulary_size() const;

 private:
  struct State;
  friend class StreamDecoder;
  explicit Tokenizer(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

/// Turns ids into text as they come, never giving half a UTF-8 character; the concatenation of all
/// pieces and of finish() equals decode() of all ids.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens = true);
  /// The text that `id` completes; may be empty.
  std::string push(int32_t id);
  /// What is held back at the end, with U+FFFD for an incomplete character, as decode() gives.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_tokens_;
  std::vector<int32_t> ids_;  // from the last safe point on
  size_t prefix_count_ = 0;   // ids whose text was given out
  std::string held_;          // bytes of an incomplete character (byte-level decoders)
};

}  // namespace hone::text
