#pragma once

#include "hone/reward/reward.h"

namespace hone::reward {

/// 1 if the stripped completion equals the stripped answer, else 0.
struct ExactReward : RewardCommon {
  static constexpr const char* kKind = "exact";
  bool ignore_case = false;

  static void fields(auto&& self, auto&& visit) {
    RewardCommon::fields(self, visit);
    visit("ignore_case", self.ignore_case, "Compare ASCII letters without case.");
  }
  Scorer scorer() const;
};

}  // namespace hone::reward
