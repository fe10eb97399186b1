#include "hone/kernels/gated_activation.h"

#include "hone/kernels/exp.h"
#include "hone/kernels/lanes.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels::HONE_ISA {
namespace {

constexpr float kRootTwoOverPi = 0.7978845608028654f;
constexpr float kCube = 0.044715f;

struct Activated {
  Vec value, slope;
};

/// Both are x * sigmoid(v): v = x for silu; for gelu (1 + tanh u) / 2 = sigmoid(2 u), which unlike
/// the left side does not cancel where tanh is near -1.
Activated activate(Activation activation, Vec x) {
  Vec v = x, v_slope = splat(1);
  if (activation == Activation::gelu_tanh) {
    v = 2.0f * kRootTwoOverPi * (x + kCube * x * x * x);
    v_slope = 2.0f * kRootTwoOverPi * (1.0f + 3.0f * kCube * x * x);
  }
  const Vec sigmoid = 1.0f / (1.0f + exp(-v));
  return {x * sigmoid, sigmoid * (1.0f + x * (1.0f - sigmoid) * v_slope)};
}

void forward_rows(const GatedActivation& problem, int64_t begin, int64_t end) {
  const int64_t columns = problem.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float *gate = problem.gate_up + row * 2 * columns, *up = gate + columns;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec value = activate(problem.activation, load_some(gate + i, count)).value;
      store_typed(problem.y, problem.type, row * columns + i, value * load_some(up + i, count),
                  count);
    });
  }
}

void backward_rows(const GatedActivationBackward& problem, int64_t begin, int64_t end) {
  const GatedActivation& forward = problem.forward;
  const int64_t columns = forward.columns;
  for (int64_t row = begin; row < end; ++row) {
    const float *gate = forward.gate_up + row * 2 * columns, *up = gate + columns;
    float *grad_gate = problem.grad_gate_up + row * 2 * columns, *grad_up = grad_gate + columns;
    for_each_vector(columns, [&](int64_t i, int64_t count) {
      const Vec grad = load_typed(problem.grad_y, forward.type, row * columns + i, count);
      const Activated active = activate(forward.activation, load_some(gate + i, count));
      store_some(grad_gate + i, grad * load_some(up + i, count) * active.slope, count);
      store_some(grad_up + i, grad * active.value, count);
    });
  }
}

}  // namespace

RowKernel<GatedActivation> gated_activation_kernel() {
  return forward_rows;
}

RowKernel<GatedActivationBackward> gated_activation_backward_kernel() {
  return backward_rows;
}

}  // namespace hone::kernels::HONE_ISA
