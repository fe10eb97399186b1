#include "hone/kernels/head.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/base/check.h"
#include "hone/kernels/gemm.h"
#include "hone/kernels/row_kernels.h"

namespace hone::kernels {
namespace {

constexpr int64_t kRowBlock = 512;  // rows whose chunk of logits is held at once

struct RowRange {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

const char* element(const void* base, DType type, int64_t offset) {
  return static_cast<const char*>(base) + offset * size_of(type);
}

/// logits[r][v] = x·w for rows of `range` and `count` vocabulary entries from `first`.
void chunk_logits(const Head& problem, RowRange range, int64_t first, int64_t count, float* logits,
                  int64_t stride, Isa isa, ThreadPool& pool) {
  gemm({.m = range.count(),
        .n = count,
        .k = problem.columns,
        .type = problem.type,
        .a = element(problem.x, problem.type, range.begin * problem.columns),
        .a_stride = problem.columns,
        .b = element(problem.w, problem.type, first * problem.columns),
        .b_stride = problem.columns,
        .c = logits,
        .c_stride = stride},
       isa, pool);
}

/// The target's place in the chunk of `count` entries from `first`, or -1.
int64_t target_in_chunk(int32_t target, int64_t row, int64_t vocabulary, int64_t first,
                        int64_t count) {
  HONE_ASSERT(target >= 0 && target < vocabulary, "target {} of row {}, vocabulary {}", target, row,
              vocabulary);
  return target >= first && target < first + count ? target - first : -1;
}

/// z of one target, as scaled() of the row kernels computes it: lane 0 of a padded vector.
float scaled_target(const RowTable& table, const ChunkRow& row, int64_t target) {
  float logit = row.raw[target];
  if (row.softcap > 0) table.cap(&logit, 1, row.softcap);
  return logit * row.inverse_temperature;
}

void finish_row(const RowState& state, float target_z, int64_t row, const RowStatistics& out) {
  // Σ exp(z - max) >= 1, so the logarithm is not negative and no probability exceeds 1.
  const float log_total = std::log(state.total);
  const float log_sum_exp = state.maximum + log_total;
  if (out.log_sum_exp) out.log_sum_exp[row] = log_sum_exp;
  if (out.log_prob) out.log_prob[row] = (target_z - state.maximum) - log_total;
  if (out.entropy) out.entropy[row] = log_total - state.weighted / state.total;
}

/// The fold over chunks that both entries share: `chunk(first, count)` gives raw logits of a chunk
/// and the stride between the rows of `range`.
template <typename Chunk>
void fold_rows(const LogitRows& problem, float softcap, RowRange range, const Chunk& chunk, Isa isa,
               ThreadPool& pool) {
  const auto& table = row_table(isa);
  std::vector<RowState> states(range.count());
  std::vector<float> targets(range.count());
  for (int64_t first = 0; first < problem.vocabulary; first += kVocabularyChunk) {
    const int64_t count = std::min(kVocabularyChunk, problem.vocabulary - first);
    const auto [logits, stride] = chunk(first, count);
    pool.parallel_for(range.count(), [&, logits = logits, stride = stride](int64_t r) {
      const int64_t row = range.begin + r;
      const ChunkRow part{logits + r * stride, count, softcap, problem.inverse_temperature[row]};
      table.fold_chunk(part, states[r]);
      if (!problem.targets) return;
      const int64_t target =
          target_in_chunk(problem.targets[row], row, problem.vocabulary, first, count);
      if (target >= 0) targets[r] = scaled_target(table, part, target);
    });
  }
  for (int64_t r = 0; r < range.count(); ++r) {
    finish_row(states[r], targets[r], range.begin + r, problem.out);
  }
}

/// The buffers of a backward over one block of rows.
struct BackwardBuffers {
  std::vector<float> logits;
  std::vector<char> dz, dz_t, w_t, x_t;
};

char* room(std::vector<char>& buffer, int64_t bytes) {
  if (static_cast<int64_t>(buffer.size()) < bytes) buffer.resize(bytes);
  return buffer.data();
}

/// dz of a chunk for the rows of `range`, as [rows][count] of the head's type.
const char* chunk_gradients(const HeadBackward& problem, RowRange range, int64_t first,
                            int64_t count, BackwardBuffers& buffers, Isa isa, ThreadPool& pool) {
  const Head& head = problem.forward;
  buffers.logits.resize(range.count() * count);
  chunk_logits(head, range, first, count, buffers.logits.data(), count, isa, pool);
  char* dz = room(buffers.dz, range.count() * count * size_of(head.type));
  const auto& table = row_table(isa);
  pool.parallel_for(range.count(), [&](int64_t r) {
    const int64_t row = range.begin + r;
    table.chunk_gradient(
        {.row = {buffers.logits.data() + r * count, count, head.softcap,
                 head.inverse_temperature[row]},
         .log_sum_exp = head.out.log_sum_exp[row],
         .entropy = problem.grad_entropy ? head.out.entropy[row] : 0,
         .grad_log_prob = problem.grad_log_prob[row],
         .grad_entropy = problem.grad_entropy ? problem.grad_entropy[row] : 0,
         .target = target_in_chunk(head.targets[row], row, head.vocabulary, first, count),
         .type = head.type,
         .out = dz + r * count * size_of(head.type)});
  });
  return dz;
}

const char* transposed(const void* in, int64_t rows, int64_t columns, DType type,
                       std::vector<char>& buffer, Isa isa, ThreadPool& pool) {
  char* out = room(buffer, rows * columns * size_of(type));
  transpose({rows, columns, type, in, columns, out, rows}, isa, pool);
  return out;
}

}  // namespace

void head_log_probs(const Head& problem, Isa isa, ThreadPool& pool) {
  const LogitRows rows{.rows = problem.rows,
                       .vocabulary = problem.vocabulary,
                       .inverse_temperature = problem.inverse_temperature,
                       .targets = problem.targets,
                       .out = problem.out};
  std::vector<float> logits;
  for (int64_t begin = 0; begin < problem.rows; begin += kRowBlock) {
    const RowRange range{begin, std::min(problem.rows, begin + kRowBlock)};
    logits.resize(range.count() * kVocabularyChunk);
    fold_rows(
        rows, problem.softcap, range,
        [&](int64_t first, int64_t count) {
          chunk_logits(problem, range, first, count, logits.data(), kVocabularyChunk, isa, pool);
          return std::pair<const float*, int64_t>(logits.data(), kVocabularyChunk);
        },
        isa, pool);
  }
}

void logit_log_probs(const LogitRows& problem, Isa isa, ThreadPool& pool) {
  fold_rows(
      problem, 0, {0, problem.rows},
      [&](int64_t first, int64_t) {
        return std::pair<const float*, int64_t>(problem.logits + first, problem.stride);
      },
      isa, pool);
}

void head_logits(const Head& problem, float* logits, int64_t stride, Isa isa, ThreadPool& pool) {
  chunk_logits(problem, {0, problem.rows}, 0, problem.vocabulary, logits, stride, isa, pool);
  if (problem.softcap <= 0) return;
  const auto& table = row_table(isa);
  pool.parallel_for(problem.rows, [&](int64_t row) {
    table.cap(logits + row * stride, problem.vocabulary, problem.softcap);
  });
}

void head_backward(const HeadBackward& problem, Isa isa, ThreadPool& pool) {
  const Head& head = problem.forward;
  const int64_t columns = head.columns;
  if (problem.grad_x) std::fill_n(problem.grad_x, head.rows * columns, 0.0f);
  BackwardBuffers buffers;
  for (int64_t begin = 0; begin < head.rows; begin += kRowBlock) {
    const RowRange range{begin, std::min(head.rows, begin + kRowBlock)};
    const char* x_t = transposed(element(head.x, head.type, begin * columns), range.count(),
                                 columns, head.type, buffers.x_t, isa, pool);
    for (int64_t first = 0; first < head.vocabulary; first += kVocabularyChunk) {
      const int64_t count = std::min(kVocabularyChunk, head.vocabulary - first);
      const char* dz = chunk_gradients(problem, range, first, count, buffers, isa, pool);
      if (problem.grad_x) {
        const char* w_t = transposed(element(head.w, head.type, first * columns), count, columns,
                                     head.type, buffers.w_t, isa, pool);
        gemm({range.count(), columns, count, head.type, dz, count, w_t, count,
              problem.grad_x + begin * columns, columns, true},
             isa, pool);
      }
      if (problem.grad_w) {
        const char* dz_t = transposed(dz, range.count(), count, head.type, buffers.dz_t, isa, pool);
        gemm({count, columns, range.count(), head.type, dz_t, range.count(), x_t, range.count(),
              problem.grad_w + first * columns, columns, true},
             isa, pool);
      }
    }
  }
}

}  // namespace hone::kernels
