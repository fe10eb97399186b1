#include "hone/reward/reward_set.h"

#include <algorithm>

#include "hone/base/check.h"

namespace hone::reward {

RewardSet::RewardSet(const std::vector<RewardConfig>& configs) {
  HONE_CHECK(!configs.empty(), "rewards: at least one reward is needed, none came");
  for (const RewardConfig& config : configs) {
    std::visit(
        [&](const auto& reward) {
          const std::string name = reward.name.empty() ? reward.kKind : reward.name;
          HONE_CHECK(std::find(names_.begin(), names_.end(), name) == names_.end(),
                     "rewards: two rewards are named '{}'; give one of them another name", name);
          names_.push_back(name);
          weights_.push_back(reward.weight);
          scorers_.push_back(reward.scorer());
        },
        config);
  }
}

RewardScores RewardSet::score(const Sample& sample) const {
  RewardScores scores;
  for (size_t i = 0; i < scorers_.size(); ++i) {
    scores.parts.push_back(scorers_[i](sample));
    scores.total += weights_[i] * scores.parts.back().value;
  }
  return scores;
}

}  // namespace hone::reward
