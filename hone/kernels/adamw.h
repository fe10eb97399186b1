#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// One step of AdamW with decoupled decay (Loshchilov & Hutter, 1711.05101):
/// g = grad * grad_scale; m, v moments; master -= lr * (m̂ / (sqrt(v̂) + eps) + decay * master);
/// value = master rounded to `type`. One pass; with type f32 `value` may equal `master`.
struct AdamW {
  int64_t count = 0;
  const float* grad = nullptr;
  float grad_scale = 1;  // the clip factor
  float *master = nullptr, *first_moment = nullptr, *second_moment = nullptr;
  DType type = DType::bf16;
  void* value = nullptr;
  float lr = 0, beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, weight_decay = 0;
  float bias_correction1 = 1, bias_correction2 = 1;  // 1 - beta^step
};
void adamw(const AdamW& problem, Isa isa = current_isa(), ThreadPool& pool = ThreadPool::global());
/// The plain twin in double precision.
void adamw_reference(const AdamW& problem);

/// Σ x² in double: fixed blocks summed in order, whatever the threads.
double squared_norm(const float* x, int64_t count, ThreadPool& pool = ThreadPool::global());

}  // namespace hone::kernels
