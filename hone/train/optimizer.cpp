#include "hone/train/optimizer.h"

#include <ATen/ops/sqrt.h>

#include <cmath>

#include "hone/kernels/adamw.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::train {
namespace {

double squared_norm(const at::Tensor& grad) {
  if (ops::use_kernels(grad)) return kernels::squared_norm(float_data(grad), grad.numel());
  return grad.to(at::kDouble).square().sum().item<double>();
}

}  // namespace

AdamW::AdamW(const OptimizerConfig& config, nn::Weights& weights)
    : config_(config), weights_(weights) {
  for (auto& entry : weights.entries()) {
    auto& parameter = entry.parameter;
    if (!parameter.trainable()) continue;
    const auto options = parameter.value.options().dtype(at::kFloat).requires_grad(false);
    const at::Tensor value = parameter.value.detach();
    slots_.push_back({&parameter, value.to(at::kFloat, false, true),
                      at::zeros(value.sizes(), options), at::zeros(value.sizes(), options)});
  }
}

void AdamW::step_slot(Slot& slot, double lr, double grad_scale) const {
  const at::Tensor value = slot.parameter->value.detach(), &grad = slot.parameter->grad;
  const double decay = value.dim() > 1 ? config_.weight_decay : 0;
  const double correction1 = 1 - std::pow(config_.beta1, step_count_);
  const double correction2 = 1 - std::pow(config_.beta2, step_count_);
  if (ops::use_kernels(value)) {
    kernels::adamw({.count = value.numel(),
                    .grad = float_data(grad),
                    .grad_scale = static_cast<float>(grad_scale),
                    .master = float_data(slot.master),
                    .first_moment = float_data(slot.first_moment),
                    .second_moment = float_data(slot.second_moment),
                    .type = kernel_dtype(value.scalar_type()),
                    .value = value.mutable_data_ptr(),
                    .lr = static_cast<float>(lr),
                    .beta1 = static_cast<float>(config_.beta1),
                    .beta2 = static_cast<float>(config_.beta2),
                    .eps = static_cast<float>(config_.eps),
                    .weight_decay = static_cast<float>(decay),
                    .bias_correction1 = static_cast<float>(correction1),
                    .bias_correction2 = static_cast<float>(correction2)});
    return;
  }
  const at::Tensor scaled = grad * grad_scale;
  slot.first_moment.mul_(config_.beta1).add_(scaled, 1 - config_.beta1);
  slot.second_moment.mul_(config_.beta2).addcmul_(scaled, scaled, 1 - config_.beta2);
  const at::Tensor denominator = at::sqrt(slot.second_moment / correction2) + config_.eps;
  slot.master.mul_(1 - lr * decay);
  slot.master.addcdiv_(slot.first_moment / correction1, denominator, -lr);
  value.copy_(slot.master);
}

double AdamW::step(double lr) {
  const at::NoGradGuard no_grad;
  double sum = 0;
  for (const auto& slot : slots_) sum += squared_norm(slot.parameter->grad);
  const double norm = std::sqrt(sum);
  if (!std::isfinite(norm)) {
    fail(
        "optimizer step {}: the gradient norm is {}; lower optim.lr or look at the samples of "
        "this step",
        step_count_ + 1, norm);
  }
  const bool clip = config_.max_grad_norm > 0 && norm > config_.max_grad_norm;
  ++step_count_;
  for (auto& slot : slots_) step_slot(slot, lr, clip ? config_.max_grad_norm / norm : 1);
  weights_.zero_grad();
  weights_.advance_epoch();
  return norm;
}

std::vector<AdamW::NamedTensor> AdamW::state() const {
  std::vector<NamedTensor> tensors;
  for (const auto& slot : slots_) {
    tensors.push_back({slot.parameter->name + ".master", slot.master});
    tensors.push_back({slot.parameter->name + ".m", slot.first_moment});
    tensors.push_back({slot.parameter->name + ".v", slot.second_moment});
  }
  return tensors;
}

}  // namespace hone::train
