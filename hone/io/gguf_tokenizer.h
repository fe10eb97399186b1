#pragma once

#include "hone/io/gguf.h"

namespace hone::io {

/// tokenizer.json of a GGUF file with a byte-level BPE vocabulary (tokenizer.ggml.model 'gpt2').
Json gguf_tokenizer(const GgufFile& file);

/// tokenizer_config.json: the special tokens' strings.
Json gguf_tokenizer_config(const GgufFile& file);

}  // namespace hone::io
