#include "hone/kernels/adamw.h"

#include "hone/kernels/lanes.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels::HONE_ISA {
namespace {

// Through an array, as the compiler takes lanes of a Vec one by one.
Vec square_root(Vec v) {
  float lanes[kLanes];
  store(lanes, v);
  for (float& lane : lanes) lane = __builtin_sqrtf(lane);
  return load(lanes);
}

void step_elements(const AdamW& problem, int64_t begin, int64_t end) {
  const float step = problem.lr / problem.bias_correction1;
  const float root = 1.0f / __builtin_sqrtf(problem.bias_correction2);
  const float keep = 1.0f - problem.lr * problem.weight_decay;
  for_each_vector(end - begin, [&](int64_t offset, int64_t count) {
    const int64_t i = begin + offset;
    const Vec grad = load_some(problem.grad + i, count) * problem.grad_scale;
    const Vec m =
        problem.beta1 * load_some(problem.first_moment + i, count) + (1.0f - problem.beta1) * grad;
    const Vec v = problem.beta2 * load_some(problem.second_moment + i, count) +
                  (1.0f - problem.beta2) * grad * grad;
    const Vec master = load_some(problem.master + i, count) * keep -
                       step * m / (square_root(v) * root + problem.eps);
    store_some(problem.first_moment + i, m, count);
    store_some(problem.second_moment + i, v, count);
    store_some(problem.master + i, master, count);
    store_typed(problem.value, problem.type, i, master, count);
  });
}

/// Sixteen sums in double, then the sums as they lie; squares of floats are exact in double.
double squares(const float* x, int64_t count) {
  typedef double Wide __attribute__((vector_size(128)));
  Wide sums{};
  for_each_vector(count, [&](int64_t i, int64_t some) {
    const Wide v = __builtin_convertvector(load_some(x + i, some), Wide);
    sums += v * v;
  });
  double sum = 0;
  for (int i = 0; i < kLanes; ++i) sum += sums[i];
  return sum;
}

}  // namespace

RowKernel<AdamW> adamw_kernel() {
  return step_elements;
}

using SquaresKernel = double (*)(const float*, int64_t);

SquaresKernel squares_kernel() {
  return squares;
}

}  // namespace hone::kernels::HONE_ISA
