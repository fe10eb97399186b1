#include "hone/kernels/adamw.h"

#include <cmath>
#include <vector>

#include "hone/kernels/isa.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels {

using SquaresKernel = double (*)(const float* x, int64_t count);

HONE_DECLARE_PER_ISA(RowKernel<AdamW> adamw_kernel())
HONE_DECLARE_PER_ISA(SquaresKernel squares_kernel())

void adamw(const AdamW& problem, Isa isa, ThreadPool& pool) {
  run_rows(problem, HONE_CALL_PER_ISA(isa, adamw_kernel), problem.count, kElementsPerTask, pool);
}

void adamw_reference(const AdamW& problem) {
  for (int64_t i = 0; i < problem.count; ++i) {
    const double grad = double{problem.grad[i]} * problem.grad_scale;
    const double beta1 = problem.beta1, beta2 = problem.beta2;
    const double m = beta1 * problem.first_moment[i] + (1 - beta1) * grad;
    const double v = beta2 * problem.second_moment[i] + (1 - beta2) * grad * grad;
    const double direction =
        m / problem.bias_correction1 / (std::sqrt(v / problem.bias_correction2) + problem.eps);
    const double decay = double{problem.weight_decay} * problem.master[i];
    problem.first_moment[i] = static_cast<float>(m);
    problem.second_moment[i] = static_cast<float>(v);
    problem.master[i] = static_cast<float>(problem.master[i] - problem.lr * (direction + decay));
    write(problem.value, problem.type, i, problem.master[i]);
  }
}

double squared_norm(const float* x, int64_t count, ThreadPool& pool) {
  const auto kernel = HONE_CALL_PER_ISA(current_isa(), squares_kernel);
  std::vector<double> blocks((count + kElementsPerTask - 1) / kElementsPerTask);
  pool.parallel_for(static_cast<int64_t>(blocks.size()), [&](int64_t i) {
    const int64_t begin = i * kElementsPerTask;
    blocks[i] = kernel(x + begin, std::min(kElementsPerTask, count - begin));
  });
  double sum = 0;
  for (double block : blocks) sum += block;
  return sum;
}

}  // namespace hone::kernels
