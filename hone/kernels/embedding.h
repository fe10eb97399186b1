#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// out[t] = scale * table[ids[t]] in f32; table is [vocabulary][columns] of `type`.
struct Embedding {
  int64_t tokens = 0, columns = 0;
  const int32_t* ids = nullptr;
  DType type = DType::f32;
  const void* table = nullptr;
  float scale = 1;
  float* out = nullptr;
};
void embedding(const Embedding& problem, ThreadPool& pool = ThreadPool::global());
/// grad_table[ids[t]] += scale * grad_out[t] in token order, whatever the threads.
void embedding_backward(const Embedding& problem, const float* grad_out, float* grad_table,
                        ThreadPool& pool = ThreadPool::global());

}  // namespace hone::kernels
