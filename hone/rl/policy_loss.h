#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hone::rl {

/// How token losses become one number (verl's words).
enum class Aggregation {
  token_mean,
  seq_mean_token_mean,
  seq_mean_token_sum,
  seq_mean_token_sum_norm
};

constexpr std::array<std::pair<Aggregation, const char*>, 4> enum_names(Aggregation) {
  return {{{Aggregation::token_mean, "token-mean"},
           {Aggregation::seq_mean_token_mean, "seq-mean-token-mean"},
           {Aggregation::seq_mean_token_sum, "seq-mean-token-sum"},
           {Aggregation::seq_mean_token_sum_norm, "seq-mean-token-sum-norm"}}};
}

/// Estimators of KL(policy || reference) from one sample (Schulman, "Approximating KL divergence",
/// 2020), with x = log p_ref - log p: k1 = -x, k2 = x²/2, k3 = e^x - x - 1.
enum class KlEstimator { none, k1, k2, k3 };

constexpr std::array<std::pair<KlEstimator, const char*>, 4> enum_names(KlEstimator) {
  return {{{KlEstimator::none, "none"},
           {KlEstimator::k1, "k1"},
           {KlEstimator::k2, "k2"},
           {KlEstimator::k3, "k3"}}};
}

/// The table [loss.kl] of a run file.
struct KlConfig {
  double coef = 0;
  KlEstimator estimator = KlEstimator::k3;

  static void fields(auto&& self, auto&& visit) {
    visit("coef", self.coef,
          "weight of the KL to the reference model in the loss; 0: no reference");
    visit("estimator", self.estimator, "which estimate of the KL is differentiated");
  }
};

/// The table [loss] of a run file.
struct PolicyLossConfig {
  Aggregation agg = Aggregation::token_mean;
  double clip_low = 0.2, clip_high = 0.2;
  double entropy_coef = 0;
  int64_t norm_length = 0;
  bool mask_truncated = false;
  KlConfig kl;

  static void fields(auto&& self, auto&& visit) {
    visit("agg", self.agg, "how token losses are averaged over the optimizer step");
    visit("clip_low", self.clip_low, "the ratio is clipped from below at 1 - clip_low");
    visit("clip_high", self.clip_high, "the ratio is clipped from above at 1 + clip_high");
    visit("entropy_coef", self.entropy_coef, "weight of the entropy bonus");
    visit("norm_length", self.norm_length,
          "constant divisor of seq-mean-token-sum-norm in tokens; 0: rollout.max_response_length");
    visit("mask_truncated", self.mask_truncated, "leave out completions that were cut off");
    visit("kl", self.kl, "KL to the reference model");
  }
  /// Throws an input error where the options contradict each other.
  void check() const;
};

/// The weight of each token's loss, one number per sequence, for a whole optimizer step: sequences
/// of `lengths` completion tokens (0: left out, counts nowhere). Known before the first backward,
/// so no split into micro-batches changes the loss. With N tokens in S sequences: token-mean 1/N;
/// seq-mean-token-mean 1/(S·length) (2402.03300); seq-mean-token-sum 1/S; -norm 1/(S·norm_length)
/// (Dr. GRPO, 2503.20783).
std::vector<double> aggregation_weights(Aggregation agg, std::span<const int64_t> lengths,
                                        int64_t norm_length);

/// The policy tokens of a micro-batch, flat; all spans of one size, or empty where not needed.
struct PolicyTokens {
  std::span<const double> log_prob, old_log_prob, reference_log_prob, entropy;
  std::span<const double> advantage, weight;
};

/// Sums over tokens, so that micro-batches add up; metrics divide by token_count.
struct PolicyLoss {
  double loss = 0;
  std::vector<double> grad_log_prob, grad_entropy;
  int64_t token_count = 0;
  double clipped_low = 0, clipped_high = 0;  // tokens whose clipped branch won, r < 1 and r > 1
  double approx_kl1 = 0, approx_kl3 = 0;     // KL(old || policy): k1 and k3 of old against new
  double reference_kl = 0, entropy = 0;
  double ratio_min = 1, ratio_max = 1;
};

/// Σ weight · (-min(r A, clip(r, 1 - clip_low, 1 + clip_high) A) + kl.coef KL - entropy_coef H)
/// with r = exp(log_prob - old_log_prob) (PPO, 1707.06347, eq. 7; GRPO, 2402.03300, eq. 3;
/// clip-higher: DAPO, 2503.14476), and its gradients with respect to log_prob and entropy.
PolicyLoss policy_loss(const PolicyLossConfig& config, const PolicyTokens& tokens);

}  // namespace hone::rl
