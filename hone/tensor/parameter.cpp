#include "hone/tensor/parameter.h"

namespace hone {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Identity in forward; the backward adds to the parameter's float32 gradient.
struct UseFunction : torch::autograd::Function<UseFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& value,
                            const Parameter& parameter) {
    context->saved_data["grad"] = parameter.grad;
    return value.detach();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor grad = context->saved_data["grad"].toTensor();
    if (grad.defined() && gradients[0].defined()) grad.add_(gradients[0]);
    return {at::Tensor(), at::Tensor()};
  }
};

}  // namespace

void Parameter::allocate_grad() {
  if (trainable())
    grad = at::zeros(value.sizes(), value.options().dtype(at::kFloat).requires_grad(false));
}

void Parameter::add_grad(const at::Tensor& gradient) const {
  if (grad.defined()) grad.add_(gradient);
}

at::Tensor use(const Parameter& parameter) {
  if (!parameter.trainable()) return parameter.value;
  return UseFunction::apply(parameter.value, parameter);
}

}  // namespace hone
