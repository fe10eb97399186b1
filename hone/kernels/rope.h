#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// Rotary embedding (Su et al., 2104.09864) in the half-split form of Hugging Face: pairs
/// (x[i], x[i + rotary_dim/2]) turn by position * frequency[i]. cosine and sine are
/// [positions][rotary_dim / 2]; elements from rotary_dim on are copied. `inverse` turns back,
/// which is the backward. x is [tokens][heads][head_dim] with `x_stride` elements between tokens.
struct Rope {
  int64_t tokens = 0, heads = 0, head_dim = 0, rotary_dim = 0;
  const int32_t* positions = nullptr;
  const float *cosine = nullptr, *sine = nullptr;
  bool inverse = false;
  DType x_type = DType::f32;
  const void* x = nullptr;
  int64_t x_stride = 0;
  DType y_type = DType::f32;
  void* y = nullptr;
  int64_t y_stride = 0;
};
void rope(const Rope& problem, Isa isa = current_isa(), ThreadPool& pool = ThreadPool::global());
void rope_reference(const Rope& problem);

}  // namespace hone::kernels
