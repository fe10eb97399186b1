#pragma once

#include <array>
#include <utility>

#include "hone/reward/reward.h"

namespace hone::reward {

/// What the length of a completion is counted in.
enum class LengthUnit { tokens, characters, words };
constexpr std::array<std::pair<LengthUnit, const char*>, 3> enum_names(LengthUnit) {
  return {{{LengthUnit::tokens, "tokens"},
           {LengthUnit::characters, "characters"},
           {LengthUnit::words, "words"}}};
}

/// 1 if the length lies in [minimum, maximum]; outside it falls linearly to 0 over `slack` units. A
/// target length is minimum = maximum.
struct LengthReward : RewardCommon {
  static constexpr const char* kKind = "length";
  LengthUnit unit = LengthUnit::tokens;
  int64_t minimum = 0;
  int64_t maximum = 256;
  int64_t slack = 0;

  static void fields(auto&& self, auto&& visit) {
    RewardCommon::fields(self, visit);
    visit("unit", self.unit, "What is counted.");
    visit("minimum", self.minimum, "Shortest length with full reward, in units.");
    visit("maximum", self.maximum, "Longest length with full reward, in units.");
    visit("slack", self.slack, "Units outside the limits until the reward is 0.");
  }
  void check() const;
  Scorer scorer() const;
};

}  // namespace hone::reward
