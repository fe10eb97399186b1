#include "hone/kernels/rms_norm.h"

#include "hone/kernels/lanes.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels::HONE_ISA {
namespace {

void forward_rows(const RmsNorm& problem, int64_t begin, int64_t end) {
  const int64_t columns = problem.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float* x = problem.x + row * problem.x_stride;
    Vec squares{};
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec v = load_some(x + i, count);
      squares += v * v;
    });
    const float mean = sum(squares) / static_cast<float>(columns);
    const float inverse = 1.0f / __builtin_sqrtf(mean + problem.eps);
    if (problem.inverse_rms) problem.inverse_rms[row] = inverse;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec weight = load_some(problem.weight + i, count) + problem.weight_offset;
      store_typed(problem.y, problem.type, row * columns + i,
                  load_some(x + i, count) * inverse * weight, count);
    });
  }
}

/// With x̂ = x / rms and g = grad_y * weight: grad_x = (g - x̂ mean(g x̂)) / rms.
void backward_rows(const RmsNormBackward& problem, int64_t begin, int64_t end) {
  const RmsNorm& forward = problem.forward;
  const int64_t columns = forward.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float* x = forward.x + row * forward.x_stride;
    const float inverse = forward.inverse_rms[row];
    const auto grad_normal = [&](int64_t i, int64_t count, Vec grad) {
      return grad * (load_some(forward.weight + i, count) + forward.weight_offset);
    };
    Vec products{};
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Vec normal = load_some(x + i, count) * inverse;
      products += grad_normal(i, count, grad) * normal;
      float* grad_weight = problem.grad_weight + i;
      store_some(grad_weight, load_some(grad_weight, count) + grad * normal, count);
    });
    const float mean = sum(products) / static_cast<float>(columns);
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Vec normal = load_some(x + i, count) * inverse;
      store_some(problem.grad_x + row * columns + i,
                 (grad_normal(i, count, grad) - normal * mean) * inverse, count);
    });
  }
}

}  // namespace

RowKernel<RmsNorm> rms_norm_kernel() {
  return forward_rows;
}

RowKernel<RmsNormBackward> rms_norm_backward_kernel() {
  return backward_rows;
}

}  // namespace hone::kernels::HONE_ISA
