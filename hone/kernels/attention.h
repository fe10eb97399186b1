#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// Tokens of one KV block. Blocks start at absolute positions that are multiples of it, so the
/// order of additions over keys depends on positions alone.
inline constexpr int64_t kKvBlockTokens = 32;

/// Heads of one attention layer. Query head h reads key head h / (heads / kv_heads).
struct AttentionShape {
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  DType type = DType::bf16;  // of q, k, v, the blocks and the output
  float scale = 0;           // multiplies q·k
  float softcap = 0;         // > 0: scores become softcap * tanh(scores / softcap)
  int64_t window = 0;        // > 0: a query at p sees keys in (p - window, p]
};

/// Paged keys and values: k_blocks is [block][kv_head][head_dim][kKvBlockTokens] (keys transposed,
/// so a dot product runs over positions in lanes), v_blocks is [block][kv_head][kKvBlockTokens]
/// [head_dim]. Elements that hold no token yet must be finite: they are multiplied by zero.
struct KvBlocks {
  void* k = nullptr;
  void* v = nullptr;
};

/// Token `token` of the batch is stored at `slot` (position % kKvBlockTokens) of `block`.
struct KvWrite {
  int32_t token = 0, block = 0, slot = 0;
};

/// Stores the k and v rows ([tokens][kv_heads][head_dim]) of a batch; `k_stride` and `v_stride`
/// count elements between tokens.
void write_kv(const AttentionShape& shape, const void* k, int64_t k_stride, const void* v,
              int64_t v_stride, const KvWrite* writes, int64_t write_count, KvBlocks blocks);

/// A run of query tokens at positions first_position, first_position + 1, … of one sequence whose
/// key at position p lives in block blocks[p / kKvBlockTokens].
struct AttentionSpan {
  int64_t query_begin = 0, query_count = 0, first_position = 0;
  const int32_t* blocks = nullptr;
};

/// out[t][h] = softmax(scale * q[t][h]·k) v over keys at positions up to the token's own. Online
/// softmax over blocks in position order (Dao et al., FlashAttention-2, 2307.08691, algorithm 1),
/// arithmetic in f32. q and out are [tokens][heads][head_dim] contiguous.
struct AttentionForward {
  AttentionShape shape;
  const void* q = nullptr;
  KvBlocks blocks;
  const AttentionSpan* spans = nullptr;
  int64_t span_count = 0;
  void* out = nullptr;
  float* log_sum_exp = nullptr;  // [tokens][heads], or nullptr
};
/// The bits of a token's output are a function of its q, of the keys and values up to it, and of
/// the instruction path: never of the spans' lengths, the block numbers or the threads (law 2).
void attention_forward(const AttentionForward& problem, Isa isa = current_isa(),
                       ThreadPool& pool = ThreadPool::global());

/// A segment of a tree of sequences: `count` tokens of the batch from `begin`, which continue
/// segment `parent` (-1: none, and `parent` < its own index). Its keys are all tokens of its
/// ancestors and its own up to each query.
struct TreeSegment {
  int64_t begin = 0, count = 0, parent = -1;
};

/// Gradients of attention over a packed batch of trees; q, k, v, out, grad_out hold `shape.type`,
/// k and v are [tokens][kv_heads][head_dim]; the gradients are f32 of the same shapes and are
/// overwritten. Deterministic and independent of the number of threads.
struct AttentionBackward {
  AttentionShape shape;
  int64_t token_count = 0;
  const void *q = nullptr, *k = nullptr, *v = nullptr, *out = nullptr, *grad_out = nullptr;
  const float* log_sum_exp = nullptr;
  const TreeSegment* segments = nullptr;
  int64_t segment_count = 0;
  float *grad_q = nullptr, *grad_k = nullptr, *grad_v = nullptr;
};
void attention_backward(const AttentionBackward& problem, Isa isa = current_isa(),
                        ThreadPool& pool = ThreadPool::global());

/// Plain twins in double precision, one loop each.
void attention_forward_reference(const AttentionForward& problem);
void attention_backward_reference(const AttentionBackward& problem);

}  // namespace hone::kernels
