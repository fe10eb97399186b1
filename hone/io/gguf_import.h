#pragma once

#include "hone/base/files.h"

namespace hone::io {

/// Writes the GGUF model as a Hugging Face folder that appears at once: config.json,
/// generation_config.json, tokenizer.json, tokenizer_config.json, chat_template.jinja (when the
/// file has one) and model.safetensors in bf16. An architecture, tokenizer or tensor that is not
/// known is an input error that lists what is known.
void import_gguf(const Path& gguf, const Path& folder);

}  // namespace hone::io
