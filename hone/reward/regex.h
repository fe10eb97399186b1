#pragma once

#include "hone/reward/reward.h"

namespace hone::reward {

/// 1 if the PCRE2 pattern is found in the completion, else 0. With `extract`, group 1 of the last
/// match must equal the answer after both are stripped; no match is `unparsed`.
struct RegexReward : RewardCommon {
  static constexpr const char* kKind = "regex";
  std::string pattern = R"(####\s*(.+))";
  bool extract = false;

  static void fields(auto&& self, auto&& visit) {
    RewardCommon::fields(self, visit);
    visit("pattern", self.pattern, "PCRE2 pattern to find in the completion.");
    visit("extract", self.extract, "Compare group 1 of the last match with the answer.");
  }
  void check() const;
  Scorer scorer() const;
};

}  // namespace hone::reward
