#pragma once

#include <vector>

#include "hone/text/json_fields.h"

namespace hone::text {

/// What post-processors put around the tokens of one text.
struct Surround {
  std::vector<int32_t> before, after;
};

/// The effect of a `post_processor` section (null: none) on a single text. ByteLevel's only effect,
/// trim_offsets, is not applied: offsets name every byte that a token came from.
Surround make_surround(const Fields& json);

}  // namespace hone::text
