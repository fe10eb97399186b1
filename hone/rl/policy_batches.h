#pragma once

#include <span>
#include <vector>

#include "hone/rl/rollout.h"
#include "hone/train/packing.h"

namespace hone::rl {

/// A micro-batch of completions with what the loss needs of each scored row.
struct PolicyBatch {
  train::PackedBatch packed;  // sources: sequence counts the completions of the step
  std::vector<double> old_log_prob, advantage, weight;
  std::vector<uint8_t> on_policy;  // the token was drawn from the weights of `epoch`
};

/// What is known of each completion of a step, in group order.
struct CompletionTerms {
  std::span<const double> advantages, weights;
};

/// Packs whole groups, or parts of one that is too long, into micro-batches of at most
/// `max_tokens` tokens (a completion longer than that is alone). The prompt of a group is computed
/// once in each micro-batch. Completions of weight 0 are left out.
std::vector<PolicyBatch> pack_groups(std::span<const RolloutGroup> groups,
                                     const CompletionTerms& terms, uint64_t epoch,
                                     int64_t max_tokens);

}  // namespace hone::rl
