#include "hone/rl/policy_loss.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"

namespace hone::rl {
namespace {

struct Term {
  double value = 0, gradient = 0;
};

Term kl_term(KlEstimator estimator, double log_prob, double reference) {
  const double x = reference - log_prob;
  switch (estimator) {
    case KlEstimator::none:
      return {};
    case KlEstimator::k1:
      return {-x, 1};
    case KlEstimator::k2:
      return {x * x / 2, -x};
    case KlEstimator::k3:
      return {std::exp(x) - x - 1, 1 - std::exp(x)};
  }
  return {};
}

/// -min(rA, clip(r)A) and its derivative by log r; counts the tokens whose clipped branch won.
Term clipped_term(const PolicyLossConfig& config, double ratio, double advantage,
                  PolicyLoss& result) {
  const double clipped = std::clamp(ratio, 1 - config.clip_low, 1 + config.clip_high);
  if (clipped * advantage < ratio * advantage) {
    (ratio < 1 ? result.clipped_low : result.clipped_high) += 1;
    return {-clipped * advantage, 0};
  }
  return {-ratio * advantage, -ratio * advantage};
}

}  // namespace

void PolicyLossConfig::check() const {
  HONE_CHECK(clip_low >= 0 && clip_low < 1, "loss.clip_low must be in [0, 1), but it is {}",
             clip_low);
  HONE_CHECK(clip_high >= 0, "loss.clip_high must not be negative, but it is {}", clip_high);
  HONE_CHECK(kl.coef == 0 || kl.estimator != KlEstimator::none,
             "loss.kl.coef is {} but loss.kl.estimator is none; set it to k1, k2 or k3", kl.coef);
}

std::vector<double> aggregation_weights(Aggregation agg, std::span<const int64_t> lengths,
                                        int64_t norm_length) {
  double tokens = 0, sequences = 0;
  for (int64_t length : lengths) {
    tokens += static_cast<double>(length);
    sequences += length > 0;
  }
  std::vector<double> weights;
  for (int64_t length : lengths) {
    double divisor = 1;
    switch (agg) {
      case Aggregation::token_mean:
        divisor = tokens;
        break;
      case Aggregation::seq_mean_token_mean:
        divisor = sequences * static_cast<double>(length);
        break;
      case Aggregation::seq_mean_token_sum:
        divisor = sequences;
        break;
      case Aggregation::seq_mean_token_sum_norm:
        divisor = sequences * static_cast<double>(norm_length);
    }
    weights.push_back(length > 0 ? 1 / divisor : 0);
  }
  return weights;
}

PolicyLoss policy_loss(const PolicyLossConfig& config, const PolicyTokens& tokens) {
  const size_t count = tokens.log_prob.size();
  HONE_ASSERT(tokens.old_log_prob.size() == count && tokens.advantage.size() == count &&
                  tokens.weight.size() == count,
              "{} log-probabilities", count);
  PolicyLoss result;
  result.token_count = static_cast<int64_t>(count);
  result.grad_log_prob.resize(count);
  result.grad_entropy.assign(count, 0);
  for (size_t t = 0; t < count; ++t) {
    const double log_ratio = tokens.log_prob[t] - tokens.old_log_prob[t];
    const double ratio = std::exp(log_ratio), weight = tokens.weight[t];
    const Term policy = clipped_term(config, ratio, tokens.advantage[t], result);
    Term kl;
    if (!tokens.reference_log_prob.empty()) {
      kl = kl_term(config.kl.estimator, tokens.log_prob[t], tokens.reference_log_prob[t]);
    }
    const double entropy = tokens.entropy.empty() ? 0 : tokens.entropy[t];
    result.loss +=
        weight * (policy.value + config.kl.coef * kl.value - config.entropy_coef * entropy);
    result.grad_log_prob[t] = weight * (policy.gradient + config.kl.coef * kl.gradient);
    result.grad_entropy[t] = -weight * config.entropy_coef;
    result.approx_kl1 -= log_ratio;
    result.approx_kl3 += ratio - log_ratio - 1;
    result.reference_kl += kl.value;
    result.entropy += entropy;
    result.ratio_min = std::min(result.ratio_min, ratio);
    result.ratio_max = std::max(result.ratio_max, ratio);
  }
  return result;
}

}  // namespace hone::rl
