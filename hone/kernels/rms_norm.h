#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// y = x / sqrt(mean(x²) + eps) * (weight + weight_offset) per row (Zhang & Sennrich, 1910.07467;
/// weight_offset is 1 for Gemma). x f32 with `x_stride`, y of `type` contiguous.
struct RmsNorm {
  int64_t rows = 0, columns = 0;
  const float* x = nullptr;
  int64_t x_stride = 0;
  const float* weight = nullptr;
  float weight_offset = 0, eps = 0;
  DType type = DType::f32;
  void* y = nullptr;
  float* inverse_rms = nullptr;  // [rows]
};
void rms_norm(const RmsNorm& problem, Isa isa = current_isa(),
              ThreadPool& pool = ThreadPool::global());
void rms_norm_reference(const RmsNorm& problem);

/// grad_x is overwritten (contiguous), grad_weight is added to; grad_y holds `type`. The sum over
/// rows for grad_weight runs in row order within fixed blocks of rows, whatever the threads.
struct RmsNormBackward {
  RmsNorm forward;
  const void* grad_y = nullptr;
  float* grad_x = nullptr;
  float* grad_weight = nullptr;
};
void rms_norm_backward(const RmsNormBackward& problem, Isa isa = current_isa(),
                       ThreadPool& pool = ThreadPool::global());
void rms_norm_backward_reference(const RmsNormBackward& problem);

}  // namespace hone::kernels
