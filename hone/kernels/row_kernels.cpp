#include "hone/kernels/row_kernels.h"

#include <algorithm>
#include <vector>

#include "hone/kernels/isa.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(const RowTable& row_table())

namespace {

constexpr int64_t kRowsPerTask = 16;
constexpr int64_t kRowsPerSum = 128;  // rows whose weight gradients are summed in one partial sum
constexpr int64_t kElementsPerTask = 16384;

/// Calls body(begin, end) for ranges of at most `step` of [0, count).
template <typename Body>
void for_ranges(ThreadPool& pool, int64_t count, int64_t step, const Body& body) {
  pool.parallel_for((count + step - 1) / step,
                    [&](int64_t i) { body(i * step, std::min(count, (i + 1) * step)); });
}

}  // namespace

const RowTable& row_table(Isa isa) {
  return HONE_CALL_PER_ISA(isa, row_table);
}

void rms_norm(const RmsNorm& problem, Isa isa, ThreadPool& pool) {
  for_ranges(pool, problem.rows, kRowsPerTask,
             [&, &table = row_table(isa)](int64_t b, int64_t e) { table.rms_norm(problem, b, e); });
}

void rms_norm_backward(const RmsNormBackward& problem, Isa isa, ThreadPool& pool) {
  const int64_t rows = problem.forward.rows, columns = problem.forward.columns;
  const int64_t parts = (rows + kRowsPerSum - 1) / kRowsPerSum;
  std::vector<float> partial(parts * columns);
  const auto& table = row_table(isa);
  for_ranges(pool, rows, kRowsPerSum, [&](int64_t begin, int64_t end) {
    table.rms_norm_backward(problem, begin, end, partial.data() + begin / kRowsPerSum * columns);
  });
  for (int64_t part = 0; part < parts; ++part) {
    for (int64_t c = 0; c < columns; ++c) problem.grad_weight[c] += partial[part * columns + c];
  }
}

void rope(const Rope& problem, Isa isa, ThreadPool& pool) {
  for_ranges(pool, problem.tokens, kRowsPerTask,
             [&, &table = row_table(isa)](int64_t b, int64_t e) { table.rope(problem, b, e); });
}

void gated_activation(const GatedActivation& problem, Isa isa, ThreadPool& pool) {
  for_ranges(pool, problem.rows, kRowsPerTask, [&, &table = row_table(isa)](int64_t b, int64_t e) {
    table.gated_activation(problem, b, e);
  });
}

void gated_activation_backward(const GatedActivationBackward& problem, Isa isa, ThreadPool& pool) {
  for_ranges(pool, problem.forward.rows, kRowsPerTask,
             [&, &table = row_table(isa)](int64_t b, int64_t e) {
               table.gated_activation_backward(problem, b, e);
             });
}

void adamw(const AdamW& problem, Isa isa, ThreadPool& pool) {
  for_ranges(pool, problem.count, kElementsPerTask,
             [&, &table = row_table(isa)](int64_t b, int64_t e) { table.adamw(problem, b, e); });
}

double squared_norm(const float* x, int64_t count, ThreadPool& pool) {
  std::vector<double> partial((count + kElementsPerTask - 1) / kElementsPerTask);
  for_ranges(pool, count, kElementsPerTask, [&](int64_t begin, int64_t end) {
    double lanes[8] = {};
    for (int64_t i = begin; i < end; ++i) lanes[i % 8] += static_cast<double>(x[i]) * x[i];
    double sum = 0;
    for (double lane : lanes) sum += lane;
    partial[begin / kElementsPerTask] = sum;
  });
  double sum = 0;
  for (double part : partial) sum += part;
  return sum;
}

void embedding(const Embedding& problem, ThreadPool& pool) {
  for_ranges(pool, problem.tokens, kRowsPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t row = int64_t{problem.ids[t]} * problem.columns;
      float* out = problem.out + t * problem.columns;
      for (int64_t c = 0; c < problem.columns; ++c) {
        out[c] = problem.scale * (problem.type == DType::f32
                                      ? static_cast<const float*>(problem.table)[row + c]
                                      : to_float(static_cast<const bf16*>(problem.table)[row + c]));
      }
    }
  });
}

void embedding_backward(const Embedding& problem, const float* grad_out, float* grad_table,
                        ThreadPool& pool) {
  for_ranges(pool, problem.columns, 64, [&](int64_t begin, int64_t end) {
    for (int64_t t = 0; t < problem.tokens; ++t) {
      float* out = grad_table + int64_t{problem.ids[t]} * problem.columns;
      const float* in = grad_out + t * problem.columns;
      for (int64_t c = begin; c < end; ++c) out[c] += problem.scale * in[c];
    }
  });
}

}  // namespace hone::kernels
