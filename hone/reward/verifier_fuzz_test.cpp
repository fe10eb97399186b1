#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/base/rng.h"
#include "hone/reward/expression.h"
#include "hone/reward/number.h"
#include "hone/reward/reward_set.h"

namespace hone::reward {
namespace {

/// Draws in order from one stream.
struct Dice {
  RandomStream stream;
  uint64_t index = 0;
  uint64_t below(uint64_t bound) { return stream.below(index++, bound); }
};

struct Tree {
  std::string text;
  long double value;
};

/// A random expression with its value by floating point; NaN after a division by zero.
Tree random_tree(Dice& dice, int depth) {
  if (depth == 0 || dice.below(4) == 0) {
    const uint64_t number = dice.below(20);
    return {std::to_string(number), static_cast<long double>(number)};
  }
  const Tree a = random_tree(dice, depth - 1), b = random_tree(dice, depth - 1);
  const char operation = "+-*/"[dice.below(4)];
  const long double value = operation == '+'   ? a.value + b.value
                            : operation == '-' ? a.value - b.value
                            : operation == '*' ? a.value * b.value
                            : b.value == 0     ? std::nanl("")
                                               : a.value / b.value;
  return {fmt::format("({}{}{})", a.text, operation, b.text), value};
}

std::string random_text(Dice& dice) {
  static const std::vector<std::string> kPieces = {"1",
                                                   "23",
                                                   "0",
                                                   ".",
                                                   ",",
                                                   "000",
                                                   "-",
                                                   "+",
                                                   "*",
                                                   "/",
                                                   "(",
                                                   ")",
                                                   "=",
                                                   "%",
                                                   "$",
                                                   "e",
                                                   "E5",
                                                   " ",
                                                   "\n",
                                                   "<answer>",
                                                   "</answer>",
                                                   "####",
                                                   "\\frac{",
                                                   "}{",
                                                   "}",
                                                   "−",
                                                   "×",
                                                   "é",
                                                   "\xff",
                                                   "abc",
                                                   "99999999999999999999"};
  std::string text;
  for (uint64_t count = dice.below(16); count > 0; --count) {
    text += kPieces[dice.below(kPieces.size())];
  }
  return text;
}

}  // namespace

TEST(VerifierFuzz, ExpressionsHaveTheirValue) {
  int exact = 0;
  for (uint32_t item = 0; item < 20000; ++item) {
    Dice dice{{.seed = 1, .step = 0, .item = item}};
    const Tree tree = random_tree(dice, 4);
    const auto result = evaluate(tree.text);
    if (std::isnan(tree.value)) {
      EXPECT_FALSE(result) << tree.text;
    } else if (result) {
      ++exact;
      const long double value =
          static_cast<long double>(result->value.numerator) / result->value.denominator;
      EXPECT_NEAR(value, tree.value, 1e-9 * (1 + std::abs(tree.value))) << tree.text;
    }
  }
  EXPECT_GT(exact, 10000);
}

TEST(VerifierFuzz, EveryRewardStaysInItsRangeOnAnyText) {
  const RewardSet rewards({ExactReward{}, RegexReward{}, NumericReward{}, LengthReward{},
                           FormatReward{}, TaskReward{}});
  const Json countdown = {{"task", "countdown"}, {"numbers", {1, 23, 1}}, {"target", 23}};
  const std::vector<Json> metadata = {
      nullptr, countdown, {{"task", "sorting"}}, {{"task", "arithmetic"}}, {{"task", 3}}};
  for (uint32_t item = 0; item < 20000; ++item) {
    Dice dice{{.seed = 2, .step = 0, .item = item}};
    const std::string completion = random_text(dice), answer = random_text(dice);
    const RewardScores scores = rewards.score(
        {completion, answer, static_cast<int64_t>(dice.below(300)), metadata[item % 5]});
    for (const Score& score : scores.parts) {
      ASSERT_GE(score.value, 0) << completion;
      ASSERT_LE(score.value, 1) << completion;
      ASSERT_TRUE(score.status == Status::ok || score.value == 0) << completion;
    }
    const auto number = last_number(completion);
    ASSERT_TRUE(!number || std::isfinite(number->value)) << completion;
  }
}

}  // namespace hone::reward
