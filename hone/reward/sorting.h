#pragma once

#include "hone/reward/problem.h"
#include "hone/reward/reward.h"

namespace hone::reward {

/// "Sort 5, 3, 9 in ascending order." Difficulty: how many numbers and their range.
struct SortingTask {
  static constexpr const char* kKind = "sorting";
  int32_t numbers = 4;
  int64_t minimum = 0;
  int64_t maximum = 99;
  bool descending = false;
  std::string question =
      "Sort the numbers {numbers} in {order} order. Reply with only the numbers, separated by "
      "commas.";

  static void fields(auto&& self, auto&& visit) {
    visit("numbers", self.numbers, "How many numbers are given, 2 to 64.");
    visit("minimum", self.minimum, "Smallest given number.");
    visit("maximum", self.maximum, "Largest given number.");
    visit("descending", self.descending, "Ask for the largest number first.");
    visit("question", self.question, "Text of the question; {numbers}, {order} are replaced.");
  }
  void check() const;

  /// How many different problems there are.
  uint64_t count() const;
  /// The problem of this rank in [0, count()); all have different questions.
  Problem problem(uint64_t seed, uint64_t rank) const;
  /// 1 if the integers of the final part of the completion are those of the answer, in order.
  static Score verify(const Sample& sample);
};

}  // namespace hone::reward
