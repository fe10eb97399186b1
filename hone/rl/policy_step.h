#pragma once

#include "hone/models/model.h"
#include "hone/rl/grpo_config.h"
#include "hone/rl/policy_batches.h"

namespace hone::rl {

/// Sums over the micro-batches of a training step; means divide by `token_count`.
struct StepTotals {
  double loss = 0;  // of the last optimizer step's denominators, summed over optimizer steps
  int64_t token_count = 0, optimizer_steps = 0;
  double clipped_low = 0, clipped_high = 0, approx_kl1 = 0, approx_kl3 = 0;
  double reference_kl = 0, entropy = 0, grad_norm = 0;
  double ratio_min = 1, ratio_max = 1;
  double mismatch_max = 0;  // of |trainer - engine| log-probability over on-policy tokens
  int64_t on_policy_count = 0;
  void add(const PolicyLoss& loss);
};

/// Forward, loss and backward of one micro-batch: adds gradients to the weights and sums to
/// `totals`. `reference` may be null; then loss.kl.coef must be 0.
void accumulate(const models::Model& model, const models::Model* reference,
                const PolicyBatch& batch, const GrpoConfig& config, StepTotals& totals);

}  // namespace hone::rl
