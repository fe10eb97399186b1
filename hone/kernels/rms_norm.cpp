#include "hone/kernels/rms_norm.h"

#include <cmath>
#include <vector>

#include "hone/kernels/isa.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(RowKernel<RmsNorm> rms_norm_kernel())
HONE_DECLARE_PER_ISA(RowKernel<RmsNormBackward> rms_norm_backward_kernel())

namespace {

constexpr int64_t kRowsPerSum = 128;  // rows whose weight gradients make one partial sum

double inverse_rms(const RmsNorm& problem, const float* x) {
  double squares = 0;
  for (int64_t c = 0; c < problem.columns; ++c) squares += double{x[c]} * x[c];
  return 1 / std::sqrt(squares / problem.columns + problem.eps);
}

}  // namespace

void rms_norm(const RmsNorm& problem, Isa isa, ThreadPool& pool) {
  run_rows(problem, HONE_CALL_PER_ISA(isa, rms_norm_kernel), problem.rows,
           rows_per_task(problem.columns), pool);
}

void rms_norm_backward(const RmsNormBackward& problem, Isa isa, ThreadPool& pool) {
  const int64_t rows = problem.forward.rows, columns = problem.forward.columns;
  const int64_t parts = (rows + kRowsPerSum - 1) / kRowsPerSum;
  std::vector<float> partial_sums(parts * columns);
  const auto kernel = HONE_CALL_PER_ISA(isa, rms_norm_backward_kernel);
  pool.parallel_for(parts, [&](int64_t part) {
    RmsNormBackward block = problem;
    block.grad_weight = partial_sums.data() + part * columns;
    kernel(block, part * kRowsPerSum, std::min(rows, (part + 1) * kRowsPerSum));
  });
  for (int64_t i = 0; i < parts * columns; ++i) {
    problem.grad_weight[i % columns] += partial_sums[i];
  }
}

void rms_norm_reference(const RmsNorm& problem) {
  for (int64_t row = 0; row < problem.rows; ++row) {
    const float* x = problem.x + row * problem.x_stride;
    const double inverse = inverse_rms(problem, x);
    if (problem.inverse_rms) problem.inverse_rms[row] = static_cast<float>(inverse);
    for (int64_t c = 0; c < problem.columns; ++c) {
      const double weight = double{problem.weight[c]} + problem.weight_offset;
      write(problem.y, problem.type, row * problem.columns + c, x[c] * inverse * weight);
    }
  }
}

void rms_norm_backward_reference(const RmsNormBackward& problem) {
  const RmsNorm& forward = problem.forward;
  const int64_t columns = forward.columns;
  std::vector<double> grad_weight(problem.grad_weight, problem.grad_weight + columns);
  for (int64_t row = 0; row < forward.rows; ++row) {
    const float* x = forward.x + row * forward.x_stride;
    const double inverse = inverse_rms(forward, x);
    const auto grad_normal = [&](int64_t c) {
      return read(problem.grad_y, forward.type, row * columns + c) *
             (double{forward.weight[c]} + forward.weight_offset);
    };
    double mean = 0;
    for (int64_t c = 0; c < columns; ++c) mean += grad_normal(c) * x[c] * inverse / columns;
    for (int64_t c = 0; c < columns; ++c) {
      const double normal = x[c] * inverse;
      grad_weight[c] += read(problem.grad_y, forward.type, row * columns + c) * normal;
      problem.grad_x[row * columns + c] =
          static_cast<float>(inverse * (grad_normal(c) - normal * mean));
    }
  }
  std::copy(grad_weight.begin(), grad_weight.end(), problem.grad_weight);
}

}  // namespace hone::kernels
