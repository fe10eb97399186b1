#pragma once

#include "hone/kernels/head.h"

/// What the instruction paths offer to head.cpp: one row of one vocabulary chunk at a time.
namespace hone::kernels {

/// Softmax statistics of one row over the chunks seen so far.
struct RowState {
  float maximum = -__builtin_huge_valf();
  float total = 0;     // Σ exp(z - maximum)
  float weighted = 0;  // Σ exp(z - maximum) * (z - maximum)
  float target_z = 0;  // z of the target once its chunk was seen
};

/// At most kVocabularyChunk logits of one row before softcap and temperature.
struct ChunkRow {
  const float* logits = nullptr;
  int64_t count = 0;
  float softcap = 0, inverse_temperature = 1;
  int64_t target = -1;  // within the chunk, or -1
};

/// dz of one chunk of a row goes to `out`, which holds `type`.
struct ChunkGradient {
  ChunkRow row;
  float log_sum_exp = 0, entropy = 0, grad_log_prob = 0, grad_entropy = 0;
  DType type = DType::f32;
  void* out = nullptr;
};

/// The kernels of one instruction path.
struct HeadKernels {
  void (*fold)(const ChunkRow&, RowState&);
  void (*gradient)(const ChunkGradient&);
  void (*cap)(float* logits, int64_t count, float softcap);  // in place
};

}  // namespace hone::kernels
