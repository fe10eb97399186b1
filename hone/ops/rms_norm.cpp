#include "hone/ops/rms_norm.h"

#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>

#include "hone/kernels/pointwise.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::RmsNorm problem_of(const at::Tensor& x, const at::Tensor& weight, double eps,
                            double weight_offset) {
  const int64_t columns = x.size(-1);
  return {.rows = x.numel() / columns,
          .columns = columns,
          .x = float_data(x),
          .x_stride = columns,
          .weight = float_data(weight),
          .weight_offset = static_cast<float>(weight_offset),
          .eps = static_cast<float>(eps)};
}

struct RmsNormFunction : torch::autograd::Function<RmsNormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const Parameter& parameter, const RmsNormOptions& options,
                            at::ScalarType out) {
    const at::Tensor rows = x.contiguous(), weight_float = weight.to(at::kFloat);
    auto problem = problem_of(rows, weight_float, options.eps, options.weight_offset);
    at::Tensor y = at::empty(x.sizes(), x.options().dtype(out).requires_grad(false));
    at::Tensor inverse_rms = at::empty({problem.rows}, rows.options().requires_grad(false));
    problem.type = kernel_dtype(out);
    problem.y = y.mutable_data_ptr();
    problem.inverse_rms = float_data(inverse_rms);
    kernels::rms_norm(problem);
    context->save_for_backward({rows, weight_float.detach(), inverse_rms});
    context->saved_data["weight_grad"] = parameter.grad;
    context->saved_data["eps"] = options.eps;
    context->saved_data["weight_offset"] = options.weight_offset;
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &inverse_rms = saved[2];
    const at::Tensor grad_y = gradients[0].contiguous();
    at::Tensor grad_x = at::empty(x.sizes(), x.options().requires_grad(false));
    at::Tensor weight_grad = context->saved_data["weight_grad"].toTensor();
    if (!weight_grad.defined()) weight_grad = at::zeros(weight.sizes(), weight.options());
    auto problem = problem_of(x, weight, context->saved_data["eps"].toDouble(),
                              context->saved_data["weight_offset"].toDouble());
    problem.type = kernel_dtype(grad_y.scalar_type());
    problem.inverse_rms = float_data(inverse_rms);
    kernels::rms_norm_backward({.forward = problem,
                                .grad_y = grad_y.const_data_ptr(),
                                .grad_x = float_data(grad_x),
                                .grad_weight = float_data(weight_grad)});
    return {grad_x, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor plain::rms_norm(const at::Tensor& x, const Parameter& weight,
                           const RmsNormOptions& options, at::ScalarType out) {
  const at::Tensor inverse_rms = at::rsqrt(at::mean(x * x, {-1}, true) + options.eps);
  const at::Tensor scale = use(weight).to(at::kFloat) + options.weight_offset;
  return (x * inverse_rms * scale).to(out);
}

at::Tensor rms_norm(const at::Tensor& x, const Parameter& weight, const RmsNormOptions& options,
                    at::ScalarType out) {
  HONE_ASSERT(x.scalar_type() == at::kFloat && x.size(-1) == weight.value.numel(),
              "rms_norm {}: {} columns", weight.name, x.size(-1));
  if (!use_kernels(x)) return plain::rms_norm(x, weight, options, out);
  return RmsNormFunction::apply(x, weight.value, weight, options, out);
}

}  // namespace hone::ops
