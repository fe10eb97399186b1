#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "hone/text/added_tokens.h"
#include "hone/text/decoders.h"
#include "hone/text/models.h"
#include "hone/text/normalizers.h"
#include "hone/text/post_processors.h"
#include "hone/text/pre_tokenizers.h"
#include "hone/text/tokenizer.h"

namespace hone::text {

/// The parts of a loaded tokenizer.json.
struct Tokenizer::State {
  uint64_t number = 0;  // distinguishes tokenizers in the word cache
  std::vector<std::unique_ptr<Normalizer>> normalizers;
  PreTokenizers pre_tokenizers;
  std::unique_ptr<Model> model;
  Surround surround;
  Decoder decoder;
  std::vector<AddedToken> added;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> added_ids;
  Vocabulary added_texts;  // a normalized added token stands for its normalised content
  std::unordered_set<int32_t> special;
  AddedMatcher raw_matcher, normalized_matcher;

  State(const Fields& json);
  void normalize(MappedText& text) const;
  void encode(std::string_view text, std::span<const ByteSpan> untrusted, Encoding& out,
              bool with_offsets) const;
  /// The token of `id`, or null.
  const std::string* token(int32_t id) const;

 private:
  void encode_part(std::string_view part, int64_t base, std::span<const ByteSpan> untrusted,
                   Encoding& out, bool with_offsets) const;
  void encode_plain(MappedText text, Encoding& out, bool with_offsets) const;
  void tokenize(std::string_view piece, std::vector<Token>& out) const;
};

}  // namespace hone::text
