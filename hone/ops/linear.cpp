#include "hone/ops/linear.h"

#include <ATen/ops/matmul.h>

#include "hone/kernels/gemm.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// c[m][n] (+)= a[m]·b[n] for contiguous matrices of one dtype.
void multiply(const at::Tensor& a_MK, const at::Tensor& b_NK, float* c_MN, bool accumulate) {
  const int64_t k = a_MK.size(1);
  kernels::gemm({.m = a_MK.size(0),
                 .n = b_NK.size(0),
                 .k = k,
                 .type = kernel_dtype(a_MK.scalar_type()),
                 .a = a_MK.const_data_ptr(),
                 .a_stride = k,
                 .b = b_NK.const_data_ptr(),
                 .b_stride = k,
                 .c = c_MN,
                 .c_stride = b_NK.size(0),
                 .accumulate = accumulate});
}

at::Tensor transposed(const at::Tensor& x_RC) {
  at::Tensor out_CR = at::empty({x_RC.size(1), x_RC.size(0)}, x_RC.options().requires_grad(false));
  kernels::transpose({.rows = x_RC.size(0),
                      .columns = x_RC.size(1),
                      .type = kernel_dtype(x_RC.scalar_type()),
                      .in = x_RC.const_data_ptr(),
                      .in_stride = x_RC.size(1),
                      .out = out_CR.mutable_data_ptr(),
                      .out_stride = x_RC.size(0)});
  return out_CR;
}

struct LinearFunction : torch::autograd::Function<LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x_TK,
                            const at::Tensor& weight_NK, const Parameter& parameter) {
    const at::Tensor x = x_TK.contiguous();
    at::Tensor y_TN = at::empty({x.size(0), weight_NK.size(0)},
                                x.options().dtype(at::kFloat).requires_grad(false));
    multiply(x, weight_NK, float_data(y_TN), false);
    context->save_for_backward({x, weight_NK});
    context->saved_data["weight_grad"] = parameter.grad;
    return y_TN;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x_TK = saved[0], &weight_NK = saved[1];
    const at::Tensor grad_TN = gradients[0].to(x_TK.scalar_type()).contiguous();
    const at::Tensor weight_grad_NK = context->saved_data["weight_grad"].toTensor();
    if (weight_grad_NK.defined()) {
      multiply(transposed(grad_TN), transposed(x_TK), float_data(weight_grad_NK), true);
    }
    at::Tensor grad_x_TK;
    if (context->needs_input_grad(0)) {
      grad_x_TK = at::empty(x_TK.sizes(), grad_TN.options().dtype(at::kFloat));
      multiply(grad_TN, transposed(weight_NK), float_data(grad_x_TK), false);
      grad_x_TK = grad_x_TK.to(x_TK.scalar_type());
    }
    return {grad_x_TK, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor plain::linear(const at::Tensor& x_TK, const Parameter& weight_NK,
                         const Parameter* bias_N) {
  const at::Tensor y_TN = at::matmul(x_TK, use(weight_NK).t()).to(at::kFloat);
  return bias_N ? y_TN + use(*bias_N).to(at::kFloat) : y_TN;
}

at::Tensor linear(const at::Tensor& x_TK, const Parameter& weight_NK, const Parameter* bias_N) {
  HONE_ASSERT(x_TK.dim() == 2 && x_TK.size(1) == weight_NK.value.size(1) &&
                  x_TK.scalar_type() == weight_NK.value.scalar_type(),
              "linear {}: x [{}, {}] {}", weight_NK.name, x_TK.size(0), x_TK.size(-1),
              c10::toString(x_TK.scalar_type()));
  if (!use_kernels(x_TK)) return plain::linear(x_TK, weight_NK, bias_N);
  const at::Tensor y_TN = LinearFunction::apply(x_TK, weight_NK.value, weight_NK);
  return bias_N ? y_TN + use(*bias_N).to(at::kFloat) : y_TN;
}

}  // namespace hone::ops
