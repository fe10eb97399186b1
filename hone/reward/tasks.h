#pragma once

#include <variant>

#include "hone/reward/arithmetic.h"
#include "hone/reward/countdown.h"
#include "hone/reward/letters.h"
#include "hone/reward/sorting.h"

namespace hone::reward {

/// The table of task generators. A new one is its own file and a row here: a struct with kKind,
/// fields(), check(), count(), problem(seed, rank) and verify(sample).
using TaskConfig = std::variant<ArithmeticTask,  // 3 + 4 * 2
                                CountdownTask,   // reach a target with given numbers
                                SortingTask,     // sort numbers
                                LettersTask>;    // count a letter

/// The problems of one task in an order that the seed draws. The first `held_out_count` of that
/// order are held out and the others are for training, so the two never share a question.
class ProblemSet {
 public:
  /// An input error if the task has not more than `held_out_count` problems.
  ProblemSet(TaskConfig task, uint64_t seed, uint64_t held_out_count);

  uint64_t held_out_count() const { return held_out_count_; }
  uint64_t train_count() const { return count_ - held_out_count_; }
  /// index in [0, held_out_count()).
  Problem held_out(uint64_t index) const;
  /// index in [0, train_count()).
  Problem train(uint64_t index) const;

 private:
  Problem at(uint64_t position) const;

  TaskConfig task_;
  uint64_t seed_, held_out_count_, count_;
};

/// Judges by the verifier of the generator that metadata["task"] names; `skipped` without one.
Score verify_task(const Sample& sample);

}  // namespace hone::reward
