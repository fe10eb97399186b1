#pragma once

#include "hone/io/gguf.h"

namespace hone::io {

/// The elements of `count / block elements` blocks as float, with the arithmetic of ggml-quants.c.
/// `count` is a whole number of blocks; `blocks` needs no alignment.
void dequantize(GgufType type, const char* blocks, int64_t count, float* values);

}  // namespace hone::io
