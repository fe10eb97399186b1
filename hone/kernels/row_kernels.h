#pragma once

#include "hone/kernels/adamw.h"
#include "hone/kernels/head.h"
#include "hone/kernels/pointwise.h"

namespace hone::kernels {

/// Running softmax statistics of one row over vocabulary chunks.
struct RowState {
  float maximum = -__builtin_huge_valf();
  float total = 0;     // Σ exp(z - maximum)
  float weighted = 0;  // Σ exp(z - maximum) * (z - maximum)
};

/// A chunk of one row of logits: `raw` are uncapped logits, scaled by inverse_temperature.
struct ChunkRow {
  const float* raw = nullptr;
  int64_t count = 0;
  float softcap = 0, inverse_temperature = 1;
};

/// What the gradient of one chunk of a row needs; dz is written to `out` (of the head's type).
struct ChunkGradient {
  ChunkRow row;
  float log_sum_exp = 0, entropy = 0, grad_log_prob = 0, grad_entropy = 0;
  int64_t target = -1;  // within the chunk, or -1
  DType type = DType::f32;
  void* out = nullptr;
};

/// Row kernels of one instruction path; [begin, end) are rows, or elements for adamw.
struct RowTable {
  void (*rms_norm)(const RmsNorm&, int64_t begin, int64_t end);
  void (*rms_norm_backward)(const RmsNormBackward&, int64_t begin, int64_t end, float* grad_weight);
  void (*rope)(const Rope&, int64_t begin, int64_t end);
  void (*gated_activation)(const GatedActivation&, int64_t begin, int64_t end);
  void (*gated_activation_backward)(const GatedActivationBackward&, int64_t begin, int64_t end);
  void (*adamw)(const AdamW&, int64_t begin, int64_t end);
  void (*fold_chunk)(const ChunkRow&, RowState&);
  void (*chunk_gradient)(const ChunkGradient&);
  void (*cap)(float* logits, int64_t count, float softcap);
};

/// The row kernels of `isa`.
const RowTable& row_table(Isa isa);

}  // namespace hone::kernels
