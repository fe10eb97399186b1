#include "hone/reward/reward.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/fields.h"
#include "hone/reward/number.h"
#include "hone/reward/pattern.h"
#include "hone/reward/reward_set.h"

namespace hone::reward {
namespace {

Score judge(const auto& reward, std::string_view completion, std::string_view answer = "",
            int64_t token_count = 0) {
  return reward.scorer()({completion, answer, token_count, nullptr});
}

double number_in(std::string_view text) {
  const auto number = last_number(text);
  return number ? number->value : -999;
}

}  // namespace

TEST(Number, TheLastNumberOfATextIsFound) {
  EXPECT_EQ(number_in("42"), 42);
  EXPECT_EQ(number_in("It is 3, no: 4."), 4);
  EXPECT_EQ(number_in("1,234,567.5 apples"), 1234567.5);
  EXPECT_EQ(number_in("[1,2,3]"), 3);
  EXPECT_EQ(number_in("x = -5."), -5);
  EXPECT_EQ(number_in("−7"), -7);
  EXPECT_EQ(number_in("+.5"), 0.5);
  EXPECT_EQ(number_in("2e-3"), 2e-3);
  EXPECT_EQ(number_in("3/4"), 0.75);
  EXPECT_EQ(number_in("-3/4"), -0.75);
  EXPECT_EQ(number_in("\\boxed{\\frac{3}{4}}"), 0.75);
  EXPECT_EQ(number_in("-\\dfrac{1,000}{4}"), -250);
  EXPECT_EQ(number_in("costs $1,200.50"), 1200.5);
  EXPECT_EQ(number_in("-$3"), -3);
  EXPECT_EQ(number_in("**8**"), 8);
  EXPECT_EQ(number_in("10-5"), 5);
  EXPECT_EQ(number_in("(2+3)-5"), 5);
  EXPECT_EQ(number_in("7 and H2O"), 7);
  EXPECT_EQ(number_in("100m2"), 100);
  EXPECT_EQ(number_in("12é34"), 12);
}

TEST(Number, TextsWithoutANumberHaveNone) {
  for (const char* text : {"", "none", "H2O", "-", "%", "1/0", "x_1", "\xff\xfe"}) {
    EXPECT_FALSE(last_number(text)) << text;
  }
}

TEST(Number, PercentMayBeMeantBothWays) {
  EXPECT_TRUE(last_number("50%")->percent);
  EXPECT_TRUE(last_number("50\\%")->percent);
  EXPECT_TRUE(last_number("50 percent")->percent);
  EXPECT_TRUE(equal_numbers({50, true}, {50, false}, 0));
  EXPECT_TRUE(equal_numbers({50, true}, {0.5, false}, 0));
  EXPECT_FALSE(equal_numbers({50, true}, {0.5, true}, 0));
  EXPECT_FALSE(equal_numbers({50, false}, {0.5, false}, 0));
  EXPECT_FALSE(equal_numbers({50.00006, true}, {50, true}, 1e-6));
}

TEST(Number, ToleranceIsRelativeAboveOne) {
  EXPECT_TRUE(equal_numbers({1000.0005, false}, {1000, false}, 1e-6));
  EXPECT_FALSE(equal_numbers({1000.0015, false}, {1000, false}, 1e-6));
  EXPECT_TRUE(equal_numbers({0.1000005, false}, {0.1, false}, 1e-6));
  EXPECT_FALSE(equal_numbers({0.1000015, false}, {0.1, false}, 1e-6));
}

TEST(Pattern, BadPatternsAndEndlessMatches) {
  EXPECT_THROW(Pattern("("), Error);
  EXPECT_FALSE(Pattern("(a+)+$").matches(std::string(40, 'a') + "b"));
  EXPECT_TRUE(Pattern("^(?:(a|b)c?)+$").found_in(std::string(100000, 'a')));
  EXPECT_TRUE(Pattern("é.").found_in("\xff é!"));
  EXPECT_EQ(Pattern("x(\\d)").last_match("x1 x2 x")[1], "2");
  EXPECT_EQ(Pattern("b*").last_match("abb")[0], "");
}

TEST(ExactReward, ComparesStrippedTexts) {
  EXPECT_EQ(judge(ExactReward{}, " Paris\n", "Paris").value, 1);
  EXPECT_EQ(judge(ExactReward{}, "paris", "Paris").value, 0);
  ExactReward caseless;
  caseless.ignore_case = true;
  EXPECT_EQ(judge(caseless, "paris", "Paris").value, 1);
  EXPECT_EQ(judge(caseless, "pari", "Paris").value, 0);
}

TEST(RegexReward, FindsOrExtracts) {
  RegexReward reward;
  EXPECT_EQ(judge(reward, "so\n#### 18").value, 1);
  EXPECT_EQ(judge(reward, "18").value, 0);
  reward.extract = true;
  EXPECT_EQ(judge(reward, "#### 17\n#### 18 ", "18").value, 1);
  EXPECT_EQ(judge(reward, "#### 17", "18").value, 0);
  EXPECT_EQ(judge(reward, "18", "18").status, Status::unparsed);
  reward.pattern = "no group";
  EXPECT_THROW(reward.check(), Error);
}

TEST(NumericReward, ComparesTheLastNumbers) {
  EXPECT_EQ(judge(NumericReward{}, "The answer is 1,000.", "1000").value, 1);
  EXPECT_EQ(judge(NumericReward{}, "0.5", "1/2").value, 1);
  EXPECT_EQ(judge(NumericReward{}, "12 or 13", "12").value, 0);
  EXPECT_EQ(judge(NumericReward{}, "none", "12").status, Status::unparsed);
  EXPECT_EQ(judge(NumericReward{}, "12", "none").status, Status::skipped);
}

TEST(LengthReward, FallsLinearlyOutsideTheLimits) {
  LengthReward reward;
  reward.minimum = 2;
  reward.maximum = 4;
  reward.slack = 3;
  EXPECT_EQ(judge(reward, "", "", 3).value, 1);
  EXPECT_EQ(judge(reward, "", "", 1).value, 0.75);
  EXPECT_EQ(judge(reward, "", "", 6).value, 0.5);
  EXPECT_EQ(judge(reward, "", "", 8).value, 0);
  reward.unit = LengthUnit::words;
  EXPECT_EQ(judge(reward, " a  bc\nd ").value, 1);
  EXPECT_EQ(judge(reward, "a").value, 0.75);
  reward.unit = LengthUnit::characters;
  EXPECT_EQ(judge(reward, "éé").value, 1);
  reward.maximum = 1;
  EXPECT_THROW(reward.check(), Error);
}

TEST(FormatReward, JudgesTheWholeCompletion) {
  FormatReward reward;
  EXPECT_EQ(judge(reward, " 42\n", "42").value, 1);
  EXPECT_EQ(judge(reward, "It is 42", "42").value, 0);
  reward.style = FormatStyle::bare_number;
  EXPECT_EQ(judge(reward, "-1,042.5").value, 1);
  EXPECT_EQ(judge(reward, "42 apples").value, 0);
  reward.style = FormatStyle::answer_tags;
  EXPECT_EQ(judge(reward, "so\n<answer>4\n2</answer>\n").value, 1);
  EXPECT_EQ(judge(reward, "<answer>4</answer><answer>5</answer>").value, 0);
  EXPECT_EQ(judge(reward, "<answer>4</answer> more").value, 0);
  reward.style = FormatStyle::think_tags;
  EXPECT_EQ(judge(reward, "<think>so</think> 4").value, 1);
  EXPECT_EQ(judge(reward, "<think>so</think><think>so</think> 4").value, 0);
  EXPECT_EQ(judge(reward, "<think>so</think>").value, 0);
  reward.style = FormatStyle::pattern;
  EXPECT_THROW(reward.check(), Error);
  reward.pattern = "a+";
  EXPECT_EQ(judge(reward, "aaa").value, 1);
  EXPECT_EQ(judge(reward, "aaab").value, 0);
}

namespace {

struct Options {
  std::vector<RewardConfig> rewards;
  static void fields(auto&& self, auto&& visit) { visit("rewards", self.rewards, "Rewards."); }
};

}  // namespace

TEST(RewardSet, ComesFromTomlAndAddsWeightedParts) {
  const auto options = config::read_toml<Options>(R"(
[[rewards]]
kind = "numeric"
[[rewards]]
kind = "format"
name = "bare"
weight = 0.25
)",
                                                  "run.toml");
  const RewardSet rewards(options.rewards);
  EXPECT_EQ(rewards.names(), (std::vector<std::string>{"numeric", "bare"}));
  EXPECT_EQ(rewards.score({"42", "42", 1, nullptr}).total, 1.25);
  const RewardScores chatty = rewards.score({"It is 42", "42", 3, nullptr});
  EXPECT_EQ(chatty.total, 1);
  EXPECT_EQ(chatty.parts[1].value, 0);
  EXPECT_EQ(rewards.score({"none", "42", 1, nullptr}).parts[0].status, Status::unparsed);
}

TEST(RewardSet, BadSetsAreInputErrors) {
  EXPECT_THROW(RewardSet({}), Error);
  EXPECT_THROW(RewardSet({NumericReward{}, NumericReward{}}), Error);
  EXPECT_THROW(config::read_toml<Options>("[[rewards]]\nkind = \"regex\"\npattern = \"(\"\n", "x"),
               Error);
}

}  // namespace hone::reward
