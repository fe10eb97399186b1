#pragma once

#include "hone/reward/tasks.h"

namespace hone::reward {

/// The verdict of the verifier of the prompt's own generator (see tasks.h).
struct TaskReward : RewardCommon {
  static constexpr const char* kKind = "task";

  static void fields(auto&& self, auto&& visit) { RewardCommon::fields(self, visit); }
  Scorer scorer() const { return verify_task; }
};

}  // namespace hone::reward
