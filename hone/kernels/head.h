#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

/// The language-model head fused with log-softmax: logits of all tokens are never held at once.
namespace hone::kernels {

/// Vocabulary columns of one chunk. The order of additions over the vocabulary is: chunks in
/// order, within a chunk fixed lanes; so the same bits come from whole rows of logits.
inline constexpr int64_t kVocabularyChunk = 2048;

/// Statistics of softmax(logit * inverse_temperature) of one row each, arrays of [rows].
struct RowStatistics {
  float* log_prob = nullptr;     // of targets[row]; nullptr with no targets
  float* log_sum_exp = nullptr;  // of the scaled logits
  float* entropy = nullptr;      // -Σ p log p in nats, or nullptr
};

/// log_prob[r] = z[r][targets[r]] - log Σ_v exp z[r][v] with z = x·w[v] * inverse_temperature[r];
/// with softcap > 0 the logit is first softcap * tanh(logit / softcap) (Gemma 2). x is
/// [rows][columns] and w is [vocabulary][columns], both of `type`, contiguous.
struct Head {
  int64_t rows = 0, columns = 0, vocabulary = 0;
  DType type = DType::f32;
  const void* x = nullptr;
  const void* w = nullptr;
  float softcap = 0;
  const float* inverse_temperature = nullptr;  // [rows]
  const int32_t* targets = nullptr;            // [rows]
  RowStatistics out;
};
void head_log_probs(const Head& problem, Isa isa = current_isa(),
                    ThreadPool& pool = ThreadPool::global());
/// The plain twin in double precision, which holds a whole row.
void head_log_probs_reference(const Head& problem);

/// d loss / d z[r][v] = grad_log_prob[r] * (1[v = target] - p) - grad_entropy[r] * p (log p + H),
/// recomputed chunk by chunk from log_sum_exp and entropy of the forward. grad_x (f32) is
/// overwritten, grad_w (f32) is added to; either may be nullptr, grad_entropy too.
struct HeadBackward {
  Head forward;
  const float* grad_log_prob = nullptr;
  const float* grad_entropy = nullptr;
  float* grad_x = nullptr;
  float* grad_w = nullptr;
};
void head_backward(const HeadBackward& problem, Isa isa = current_isa(),
                   ThreadPool& pool = ThreadPool::global());
/// The plain twin in double precision.
void head_backward_reference(const HeadBackward& problem);

/// The same statistics from whole rows of raw logits (f32 [rows][vocabulary] with stride), bit for
/// bit those of head_log_probs on the x and w that made them. `targets` may be nullptr.
struct LogitRows {
  int64_t rows = 0, vocabulary = 0;
  const float* logits = nullptr;
  int64_t stride = 0;
  const float* inverse_temperature = nullptr;
  const int32_t* targets = nullptr;
  RowStatistics out;
};
void logit_log_probs(const LogitRows& problem, Isa isa = current_isa(),
                     ThreadPool& pool = ThreadPool::global());

/// Raw logits after the softcap for generation: logits[r][v] = cap(x·w[v]).
void head_logits(const Head& problem, float* logits, int64_t stride, Isa isa = current_isa(),
                 ThreadPool& pool = ThreadPool::global());

}  // namespace hone::kernels
