#pragma once

#include "hone/base/files.h"
#include "hone/base/json.h"

namespace hone::io {

/// What is in a Hugging Face folder, a .safetensors or a .gguf file: `architecture`, `parameters`
/// (elements of all tensors), `types` (elements by type), `tensors` (name, type, shape) and, where
/// known, `layers`, `hidden`, `heads`, `kv_heads`, `vocabulary` (rows of the embedding), `context`,
/// `tokenizer`, `tokenizer_size` and `chat_template`. A malformed file is an input error.
Json inspect(const Path& path);

/// The same for people, without the list of tensors.
std::string print_inspection(const Json& inspection);

}  // namespace hone::io
