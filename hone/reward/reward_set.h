#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hone/reward/exact.h"
#include "hone/reward/format.h"
#include "hone/reward/length.h"
#include "hone/reward/numeric.h"
#include "hone/reward/regex.h"
#include "hone/reward/task.h"

namespace hone::reward {

/// The table of completion-level rewards. A new one is its own file and a row here:
/// a struct with kKind, fields() and scorer().
using RewardConfig = std::variant<ExactReward,    // the text equals the answer
                                  RegexReward,    // a pattern is found
                                  NumericReward,  // the last number equals the answer
                                  LengthReward,   // the length lies in limits
                                  FormatReward,   // the text has a shape
                                  TaskReward>;    // the verifier of the generator of the prompt

/// All rewards of one completion.
struct RewardScores {
  double total = 0;          // sum of weight times value
  std::vector<Score> parts;  // in the order of names()
};

/// The rewards of a run.
class RewardSet {
 public:
  /// Needs at least one reward and different names; an input error otherwise.
  explicit RewardSet(const std::vector<RewardConfig>& configs);

  const std::vector<std::string>& names() const { return names_; }
  /// May be called from several threads.
  RewardScores score(const Sample& sample) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> weights_;
  std::vector<Scorer> scorers_;
};

}  // namespace hone::reward
