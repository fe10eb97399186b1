#pragma once

#include "hone/reward/reward.h"

namespace hone::reward {

/// 1 if the last number of the completion equals the last number of the answer, else 0 (see
/// number.h for what is a number). A completion without a number is `unparsed`.
struct NumericReward : RewardCommon {
  static constexpr const char* kKind = "numeric";
  double tolerance = 1e-6;

  static void fields(auto&& self, auto&& visit) {
    RewardCommon::fields(self, visit);
    visit("tolerance", self.tolerance, "Allowed difference, times the answer's size if above 1.");
  }
  void check() const;
  Scorer scorer() const;
};

}  // namespace hone::reward
