#pragma once

#include <memory>
#include <vector>

#include "hone/text/json_fields.h"
#include "hone/text/mapped_text.h"

namespace hone::text {

/// One step that rewrites a text before it is cut into pieces.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(MappedText& text) const = 0;
};

/// The steps of a `normalizer` section (null: none), sequences unrolled.
std::vector<std::unique_ptr<Normalizer>> make_normalizers(const Fields& json);

/// The step of a SentencePiece character map (base64 of its double-array trie and strings).
std::unique_ptr<Normalizer> make_precompiled(const Fields& json);

}  // namespace hone::text
