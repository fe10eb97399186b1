#include "hone/rl/policy_step.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "hone/train/scoring.h"

namespace hone::rl {
namespace {

std::vector<double> to_doubles(const at::Tensor& values_R) {
  const at::Tensor doubles = values_R.detach().to(at::kDouble).cpu().contiguous();
  const double* data = doubles.const_data_ptr<double>();
  return {data, data + doubles.numel()};
}

/// The largest |trainer - engine| over tokens drawn from the weights that now score them.
void measure_mismatch(const PolicyBatch& batch, std::span<const double> log_prob,
                      StepTotals& totals) {
  for (size_t row = 0; row < log_prob.size(); ++row) {
    if (!batch.on_policy[row]) continue;
    const double difference = std::abs(log_prob[row] - batch.old_log_prob[row]);
    // A NaN must not pass as a match.
    totals.mismatch_max = difference <= totals.mismatch_max ? totals.mismatch_max : difference;
    ++totals.on_policy_count;
  }
}

std::vector<double> reference_log_probs(const models::Model& reference, const PolicyBatch& batch,
                                        double temperature) {
  const at::NoGradGuard no_grad;
  return to_doubles(train::score(reference, batch.packed, {.temperature = temperature}).log_prob);
}

}  // namespace

void StepTotals::add(const PolicyLoss& part) {
  loss += part.loss;
  token_count += part.token_count;
  clipped_low += part.clipped_low;
  clipped_high += part.clipped_high;
  approx_kl1 += part.approx_kl1;
  approx_kl3 += part.approx_kl3;
  reference_kl += part.reference_kl;
  entropy += part.entropy;
  ratio_min = std::min(ratio_min, part.ratio_min);
  ratio_max = std::max(ratio_max, part.ratio_max);
}

void accumulate(const models::Model& model, const models::Model* reference,
                const PolicyBatch& batch, const GrpoConfig& config, StepTotals& totals) {
  const double temperature = config.rollout.temperature;
  const auto scores = train::score(
      model, batch.packed, {.temperature = temperature, .recompute = config.train.recompute});
  const auto log_prob = to_doubles(scores.log_prob), entropy = to_doubles(scores.entropy);
  std::vector<double> reference_log_prob;
  if (reference) reference_log_prob = reference_log_probs(*reference, batch, temperature);
  measure_mismatch(batch, log_prob, totals);
  const PolicyLoss loss = policy_loss(config.loss, {.log_prob = log_prob,
                                                    .old_log_prob = batch.old_log_prob,
                                                    .reference_log_prob = reference_log_prob,
                                                    .entropy = entropy,
                                                    .advantage = batch.advantage,
                                                    .weight = batch.weight});
  totals.add(loss);
  const auto device = scores.log_prob.device();
  const auto gradient = [&](const std::vector<double>& values) {
    return at::tensor(values).to(at::kFloat).to(device);
  };
  torch::autograd::backward({scores.log_prob, scores.entropy},
                            {gradient(loss.grad_log_prob), gradient(loss.grad_entropy)});
}

}  // namespace hone::rl
