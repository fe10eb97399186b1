#pragma once

#include "hone/reward/problem.h"
#include "hone/reward/reward.h"

namespace hone::reward {

/// "Use 3, 7 and 25 to make 46": the game Countdown. Every multiset of numbers occurs once, with a
/// target that the seed draws. Difficulty: how many numbers, their range, the largest target.
struct CountdownTask {
  static constexpr const char* kKind = "countdown";
  int32_t numbers = 3;
  int64_t minimum = 1;
  int64_t maximum = 25;
  int64_t target_maximum = 100;
  bool use_all = true;
  std::string question =
      "Use the numbers {numbers}, each exactly once, with + - * / and parentheses to make "
      "{target}. Reply with only the expression.";

  static void fields(auto&& self, auto&& visit) {
    visit("numbers", self.numbers, "How many numbers are given, 2 to 8.");
    visit("minimum", self.minimum, "Smallest given number, at least 1.");
    visit("maximum", self.maximum, "Largest given number.");
    visit("target_maximum", self.target_maximum,
          "Largest target, unless only the sum of the numbers is found.");
    visit("use_all", self.use_all, "Every number must be used; else each at most once.");
    visit("question", self.question, "Text of the question; {numbers}, {target} are replaced.");
  }
  void check() const;

  /// How many different problems there are.
  uint64_t count() const;
  /// The problem of this rank in [0, count()); all have different questions. The answer is one
  /// expression that reaches the target.
  Problem problem(uint64_t seed, uint64_t rank) const;
  /// 1 if the final part of the completion (see final_part) is an expression, with or without
  /// "= target", of the given numbers that gives exactly the target.
  static Score verify(const Sample& sample);
};

}  // namespace hone::reward
