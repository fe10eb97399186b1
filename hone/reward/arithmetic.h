#pragma once

#include <array>
#include <utility>

#include "hone/reward/problem.h"
#include "hone/reward/reward.h"

namespace hone::reward {

/// Operations between the terms of an arithmetic problem.
enum class Operation { add, subtract, multiply };
constexpr std::array<std::pair<Operation, const char*>, 3> enum_names(Operation) {
  return {{{Operation::add, "+"}, {Operation::subtract, "-"}, {Operation::multiply, "*"}}};
}

/// "What is 3 + 4 * 2?": products before sums, each operation drawn anew. The defaults are the 288
/// questions of the demo. Difficulty: the range, the number of terms, the operations.
struct ArithmeticTask {
  static constexpr const char* kKind = "arithmetic";
  int64_t minimum = 1;
  int64_t maximum = 12;
  int32_t terms = 2;
  std::vector<Operation> operations = {Operation::add, Operation::multiply};
  std::string question = "What is {expression}? Reply with only the number.";

  static void fields(auto&& self, auto&& visit) {
    visit("minimum", self.minimum, "Smallest number in a question.");
    visit("maximum", self.maximum, "Largest number in a question.");
    visit("terms", self.terms, "Numbers in a question, at least 2.");
    visit("operations", self.operations, "Operations to draw from: +, -, *.");
    visit("question", self.question, "Text of the question; {expression} is replaced.");
  }
  void check() const;

  /// How many different problems there are.
  uint64_t count() const;
  /// The problem of this rank in [0, count()); all have different questions.
  Problem problem(uint64_t seed, uint64_t rank) const;
  /// 1 if the last number of the completion is the answer.
  static Score verify(const Sample& sample);
};

}  // namespace hone::reward
