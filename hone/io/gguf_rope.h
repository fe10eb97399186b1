#pragma once

#include "hone/base/json.h"
#include "hone/io/gguf.h"

namespace hone::io {

/// config.json's rope_scaling of a GGUF file, or null where its positions are not scaled. `config`
/// has head_dim and rope_theta. Input errors: a kind of scaling that no model here has, and a table
/// rope_freqs.weight other than that of Llama 3.1 to 3.3 (2407.21783: factor 8 or 32, wave lengths
/// 2048 to 8192).
Json gguf_rope_scaling(const GgufFile& file, const Json& config);

}  // namespace hone::io
