#pragma once

#include "hone/kernels/attention.h"

namespace hone::kernels {

/// One task of the forward: query rows [row_begin, row_end) of one span and one key head. Rows are
/// (token, head of the group) pairs.
struct ForwardTask {
  const AttentionForward* problem;
  const AttentionSpan* span;
  int64_t kv_head, token_begin, token_end;
};

/// One task of the backward: all segments of one tree and one key head.
struct BackwardTask {
  const AttentionBackward* problem;
  int64_t kv_head, segment_begin, segment_end;
  float* scratch;  // backward_scratch_floats(…)
  int64_t max_keys;
};

/// The attention kernels of one instruction path.
struct AttentionTable {
  void (*forward)(const ForwardTask&);
  void (*backward)(const BackwardTask&);
};

/// The padded head_dim: lanes are whole vectors.
inline int64_t padded_dim(int64_t head_dim) {
  return (head_dim + 15) / 16 * 16;
}
inline int64_t padded_keys(int64_t keys) {
  return (keys + 15) / 16 * 16;
}

/// Floats of a backward task: kᵀ, vᵀ, k, dk, dv of a chain, rows for scores.
inline int64_t backward_scratch_floats(int64_t head_dim, int64_t max_keys) {
  return 5 * padded_dim(head_dim) * padded_keys(max_keys) + 2 * padded_keys(max_keys) +
         4 * padded_dim(head_dim);
}

}  // namespace hone::kernels
