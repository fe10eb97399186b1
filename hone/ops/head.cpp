#include "hone/ops/head.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>

#include "hone/kernels/head.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::Head problem_of(const at::Tensor& x, const at::Tensor& weight, double softcap) {
  return {.rows = x.size(0),
          .columns = x.size(1),
          .vocabulary = weight.size(0),
          .type = kernel_dtype(x.scalar_type()),
          .x = x.const_data_ptr(),
          .w = weight.const_data_ptr(),
          .softcap = static_cast<float>(softcap)};
}

struct LogProbsFunction : torch::autograd::Function<LogProbsFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x_RD,
                               const at::Tensor& weight_VD, const Parameter& parameter,
                               const at::Tensor& targets_R, const at::Tensor& inverse_temperature_R,
                               double softcap) {
    const at::Tensor x = x_RD.contiguous();
    const auto options = x.options().dtype(at::kFloat).requires_grad(false);
    at::Tensor log_prob = at::empty({x.size(0)}, options);
    at::Tensor log_sum_exp = at::empty({x.size(0)}, options);
    at::Tensor entropy = at::empty({x.size(0)}, options);
    auto problem = problem_of(x, weight_VD, softcap);
    problem.inverse_temperature = float_data(inverse_temperature_R);
    problem.targets = targets_R.const_data_ptr<int32_t>();
    problem.out = {float_data(log_prob), float_data(log_sum_exp), float_data(entropy)};
    kernels::head_log_probs(problem);
    context->save_for_backward(
        {x, weight_VD, targets_R, inverse_temperature_R, log_prob, log_sum_exp, entropy});
    context->saved_data["weight_grad"] = parameter.grad;
    context->saved_data["softcap"] = softcap;
    return {log_prob, entropy};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    auto problem = problem_of(x, weight, context->saved_data["softcap"].toDouble());
    problem.targets = saved[2].const_data_ptr<int32_t>();
    problem.inverse_temperature = float_data(saved[3]);
    problem.out = {float_data(saved[4]), float_data(saved[5]), float_data(saved[6])};
    const at::Tensor weight_grad = context->saved_data["weight_grad"].toTensor();
    const at::Tensor grad_log_prob = gradients[0].contiguous();
    const at::Tensor grad_entropy = gradients[1].contiguous();
    at::Tensor grad_x = at::empty(x.sizes(), grad_log_prob.options().requires_grad(false));
    kernels::head_backward({.forward = problem,
                            .grad_log_prob = float_data(grad_log_prob),
                            .grad_entropy = float_data(grad_entropy),
                            .grad_x = float_data(grad_x),
                            .grad_w = weight_grad.defined() ? float_data(weight_grad) : nullptr});
    return {grad_x.to(x.scalar_type()),
            at::Tensor(),
            at::Tensor(),
            at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }
};

at::Tensor capped(const at::Tensor& logits, double softcap) {
  return softcap > 0 ? at::tanh(logits / softcap) * softcap : logits;
}

std::tuple<at::Tensor, at::Tensor> statistics(const at::Tensor& logits_RV,
                                              const at::Tensor& targets_R,
                                              const at::Tensor& inverse_temperature_R) {
  const at::Tensor log_p_RV = at::log_softmax(logits_RV * inverse_temperature_R.unsqueeze(1), -1);
  const at::Tensor entropy = -(log_p_RV.exp() * log_p_RV).sum(-1);
  return {log_p_RV.gather(1, targets_R.to(at::kLong).unsqueeze(1)).squeeze(1), entropy};
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> plain::log_probs(const at::Tensor& x_RD,
                                                    const Parameter& weight_VD,
                                                    const at::Tensor& targets_R,
                                                    const at::Tensor& inverse_temperature_R,
                                                    const HeadOptions& options) {
  const at::Tensor logits_RV = at::matmul(x_RD, use(weight_VD).t()).to(at::kFloat);
  return statistics(capped(logits_RV, options.softcap), targets_R, inverse_temperature_R);
}

at::Tensor plain::logits(const at::Tensor& x_RD, const Parameter& weight_VD,
                         const HeadOptions& options) {
  const at::NoGradGuard no_grad;
  return capped(at::matmul(x_RD, weight_VD.value.t()).to(at::kFloat), options.softcap);
}

at::Tensor plain::log_probs_of_logits(const at::Tensor& logits_RV, const at::Tensor& targets_R,
                                      const at::Tensor& inverse_temperature_R) {
  return std::get<0>(statistics(logits_RV, targets_R, inverse_temperature_R));
}

std::tuple<at::Tensor, at::Tensor> log_probs(const at::Tensor& x_RD, const Parameter& weight_VD,
                                             const at::Tensor& targets_R,
                                             const at::Tensor& inverse_temperature_R,
                                             const HeadOptions& options) {
  HONE_ASSERT(targets_R.scalar_type() == at::kInt && targets_R.size(0) == x_RD.size(0),
              "{} targets for {} rows", targets_R.size(0), x_RD.size(0));
  if (!use_kernels(x_RD)) {
    return plain::log_probs(x_RD, weight_VD, targets_R, inverse_temperature_R, options);
  }
  const auto out = LogProbsFunction::apply(x_RD, weight_VD.value, weight_VD, targets_R,
                                           inverse_temperature_R, options.softcap);
  return {out[0], out[1]};
}

at::Tensor logits(const at::Tensor& x_RD, const Parameter& weight_VD, const HeadOptions& options) {
  if (!use_kernels(x_RD)) return plain::logits(x_RD, weight_VD, options);
  const at::Tensor x = x_RD.contiguous();
  at::Tensor out_RV = at::empty({x.size(0), weight_VD.value.size(0)},
                                x.options().dtype(at::kFloat).requires_grad(false));
  kernels::head_logits(problem_of(x, weight_VD.value, options.softcap), float_data(out_RV),
                       out_RV.size(1));
  return out_RV;
}

at::Tensor log_probs_of_logits(const at::Tensor& logits_RV, const at::Tensor& targets_R,
                               const at::Tensor& inverse_temperature_R) {
  if (!use_kernels(logits_RV)) {
    return plain::log_probs_of_logits(logits_RV, targets_R, inverse_temperature_R);
  }
  const auto options = logits_RV.options();
  at::Tensor log_prob = at::empty({logits_RV.size(0)}, options);
  at::Tensor log_sum_exp = at::empty({logits_RV.size(0)}, options);
  kernels::logit_log_probs({.rows = logits_RV.size(0),
                            .vocabulary = logits_RV.size(1),
                            .logits = float_data(logits_RV),
                            .stride = logits_RV.size(1),
                            .inverse_temperature = float_data(inverse_temperature_R),
                            .targets = targets_R.const_data_ptr<int32_t>(),
                            .out = {float_data(log_prob), float_data(log_sum_exp), nullptr}});
  return log_prob;
}

}  // namespace hone::ops
