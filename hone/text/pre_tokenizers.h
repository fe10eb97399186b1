#pragma once

#include <memory>
#include <vector>

#include "hone/base/json.h"
#include "hone/text/tokenizer.h"

namespace hone::text {

/// One stage of the pre-tokenizer: cuts pieces of a text into smaller ones, in order.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Appends the parts of text[piece] to `out`.
  virtual void split(std::string_view text, ByteSpan piece, std::vector<ByteSpan>& out) const = 0;
};

/// The stages of `json` (a pre_tokenizer object or null) and whether one of them encodes bytes as
/// symbols. An unknown type or option is an input error that names it.
struct PreTokenizers {
  std::vector<std::unique_ptr<PreTokenizer>> stages;
  bool byte_level = false;
};
PreTokenizers parse_pre_tokenizers(const Json& json);

}  // namespace hone::text
