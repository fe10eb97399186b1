#pragma once

#include <memory>
#include <vector>

#include "hone/kernels/attention.h"
#include "hone/tensor/torch.h"

namespace hone::ops {

using kernels::AttentionShape;

/// Who attends to whom in a packed batch, shared by all layers. Two forms:
/// - training: `segments` is a forest of sequences (a GRPO group is a prompt segment and its
///   completions); spans, writes and block_count describe scratch blocks made of it, so that the
///   forward runs the very kernel that decoding runs;
/// - generation: `segments` is empty, the blocks are those of the engine's cache.
struct AttentionPlan {
  std::vector<kernels::TreeSegment> segments;
  std::vector<kernels::AttentionSpan> spans;
  std::vector<kernels::KvWrite> writes;
  std::vector<std::vector<int32_t>> block_tables;  // one per span; spans point into it
  int32_t block_count = 0;                         // of the scratch blocks, training only
};

/// The plan of a forest; segments cover the batch in order. Positions follow the parent's end.
std::shared_ptr<const AttentionPlan> plan_forest(std::vector<kernels::TreeSegment> segments);

/// Cached keys and values of one layer: k [blocks, kv_heads, head_dim, kKvBlockTokens] and
/// v [blocks, kv_heads, kKvBlockTokens, head_dim].
struct KvCacheLayer {
  at::Tensor k, v;
};

/// Empty blocks (zeros) of `shape` for one layer.
KvCacheLayer make_kv_blocks(const AttentionShape& shape, int64_t block_count, at::Device device);

/// Causal attention of a packed batch: q [T, heads, head_dim], k and v [T, kv_heads, head_dim] of
/// one dtype; returns [T, heads, head_dim]. Stores k and v into `cache` first; without a cache
/// (training) into scratch blocks. With a cache nothing may require a gradient.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionShape& shape, std::shared_ptr<const AttentionPlan> plan,
                     KvCacheLayer* cache);

namespace plain {
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionShape& shape, const AttentionPlan& plan, KvCacheLayer* cache);
}

}  // namespace hone::ops
