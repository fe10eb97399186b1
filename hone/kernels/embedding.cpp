#include "hone/kernels/embedding.h"

#include "hone/kernels/row_kernel.h"

namespace hone::kernels {
namespace {

constexpr int64_t kColumnsPerTask = 64;

template <typename Value>
void copy_rows(const Embedding& problem, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    const auto* in = static_cast<const Value*>(problem.table) + problem.ids[t] * problem.columns;
    float* out = problem.out + t * problem.columns;
    for (int64_t c = 0; c < problem.columns; ++c) out[c] = problem.scale * to_float(in[c]);
  }
}

}  // namespace

void embedding(const Embedding& problem, ThreadPool& pool) {
  run_rows(problem, problem.type == DType::f32 ? copy_rows<float> : copy_rows<bf16>, problem.tokens,
           rows_per_task(problem.columns), pool);
}

// Threads own columns, so that a row met twice is added to in token order.
void embedding_backward(const Embedding& problem, const float* grad_out, float* grad_table,
                        ThreadPool& pool) {
  pool.parallel_for((problem.columns + kColumnsPerTask - 1) / kColumnsPerTask, [&](int64_t task) {
    const int64_t begin = task * kColumnsPerTask;
    const int64_t end = std::min(begin + kColumnsPerTask, problem.columns);
    for (int64_t t = 0; t < problem.tokens; ++t) {
      const float* in = grad_out + t * problem.columns;
      float* out = grad_table + problem.ids[t] * problem.columns;
      for (int64_t c = begin; c < end; ++c) out[c] += problem.scale * in[c];
    }
  });
}

}  // namespace hone::kernels
