#include "hone/kernels/gated_activation.h"

#include <cmath>

#include "hone/kernels/isa.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(RowKernel<GatedActivation> gated_activation_kernel())
HONE_DECLARE_PER_ISA(RowKernel<GatedActivationBackward> gated_activation_backward_kernel())

namespace {

double activate(Activation activation, double x) {
  if (activation == Activation::silu) return x / (1 + std::exp(-x));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double slope(Activation activation, double x) {
  if (activation == Activation::silu) {
    const double sigmoid = 1 / (1 + std::exp(-x));
    return sigmoid * (1 + x * (1 - sigmoid));
  }
  const double t = std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

}  // namespace

void gated_activation(const GatedActivation& problem, Isa isa, ThreadPool& pool) {
  run_rows(problem, HONE_CALL_PER_ISA(isa, gated_activation_kernel), problem.rows,
           rows_per_task(problem.columns), pool);
}

void gated_activation_backward(const GatedActivationBackward& problem, Isa isa, ThreadPool& pool) {
  run_rows(problem, HONE_CALL_PER_ISA(isa, gated_activation_backward_kernel), problem.forward.rows,
           rows_per_task(problem.forward.columns), pool);
}

void gated_activation_reference(const GatedActivation& problem) {
  for (int64_t i = 0; i < problem.rows * problem.columns; ++i) {
    const int64_t gate = i / problem.columns * 2 * problem.columns + i % problem.columns;
    const double value = activate(problem.activation, problem.gate_up[gate]);
    write(problem.y, problem.type, i, value * problem.gate_up[gate + problem.columns]);
  }
}

void gated_activation_backward_reference(const GatedActivationBackward& problem) {
  const GatedActivation& forward = problem.forward;
  for (int64_t i = 0; i < forward.rows * forward.columns; ++i) {
    const int64_t gate = i / forward.columns * 2 * forward.columns + i % forward.columns;
    const int64_t up = gate + forward.columns;
    const double grad = read(problem.grad_y, forward.type, i), x = forward.gate_up[gate];
    problem.grad_gate_up[gate] =
        static_cast<float>(grad * forward.gate_up[up] * slope(forward.activation, x));
    problem.grad_gate_up[up] = static_cast<float>(grad * activate(forward.activation, x));
  }
}

}  // namespace hone::kernels
