#pragma once

#include <memory>
#include <vector>

#include "hone/text/json_fields.h"
#include "hone/text/mapped_text.h"

namespace hone::text {

/// A normalised text and its pieces (bytes of text.text, in order, disjoint).
struct Pieces {
  MappedText text;
  std::vector<ByteSpan> spans;
};

/// One step that cuts a text into pieces and may rewrite it.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(Pieces& pieces) const = 0;
};

/// The steps of a `pre_tokenizer` section (null: none), sequences unrolled. `byte_level` is set
/// when the last step maps bytes to aliases; that step then leaves the bytes as they are, so that
/// the model can look up raw words and alias only those it has not seen.
struct PreTokenizers {
  std::vector<std::unique_ptr<PreTokenizer>> steps;
  bool byte_level = false;
};
PreTokenizers make_pre_tokenizers(const Fields& json);

}  // namespace hone::text
