#include "hone/ops/gated_activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/silu.h>

#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::GatedActivation problem_of(const at::Tensor& gate_up, Activation activation) {
  return {.rows = gate_up.size(0),
          .columns = gate_up.size(1) / 2,
          .activation = activation,
          .gate_up = float_data(gate_up)};
}

struct GatedActivationFunction : torch::autograd::Function<GatedActivationFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up_T2F,
                            Activation activation, at::ScalarType out) {
    const at::Tensor gate_up = gate_up_T2F.contiguous();
    auto problem = problem_of(gate_up, activation);
    at::Tensor y_TF = at::empty({problem.rows, problem.columns},
                                gate_up.options().dtype(out).requires_grad(false));
    problem.type = kernel_dtype(out);
    problem.y = y_TF.mutable_data_ptr();
    kernels::gated_activation(problem);
    context->save_for_backward({gate_up});
    context->saved_data["activation"] = static_cast<int64_t>(activation);
    return y_TF;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor gate_up = context->get_saved_variables()[0];
    const at::Tensor grad_y = gradients[0].contiguous();
    at::Tensor grad = at::empty(gate_up.sizes(), gate_up.options().requires_grad(false));
    auto problem =
        problem_of(gate_up, static_cast<Activation>(context->saved_data["activation"].toInt()));
    problem.type = kernel_dtype(grad_y.scalar_type());
    kernels::gated_activation_backward(
        {.forward = problem, .grad_y = grad_y.const_data_ptr(), .grad_gate_up = float_data(grad)});
    return {grad, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor plain::gated_activation(const at::Tensor& gate_up_T2F, Activation activation,
                                   at::ScalarType out) {
  const int64_t columns = gate_up_T2F.size(1) / 2;
  const at::Tensor gate = gate_up_T2F.narrow(1, 0, columns);
  const at::Tensor active =
      activation == Activation::silu ? at::silu(gate) : at::gelu(gate, "tanh");
  return (active * gate_up_T2F.narrow(1, columns, columns)).to(out);
}

at::Tensor gated_activation(const at::Tensor& gate_up_T2F, Activation activation,
                            at::ScalarType out) {
  HONE_ASSERT(gate_up_T2F.dim() == 2 && gate_up_T2F.size(1) % 2 == 0, "gate_up of {} columns",
              gate_up_T2F.size(1));
  if (!use_kernels(gate_up_T2F)) return plain::gated_activation(gate_up_T2F, activation, out);
  return GatedActivationFunction::apply(gate_up_T2F, activation, out);
}

}  // namespace hone::ops
