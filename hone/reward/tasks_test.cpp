#include "hone/reward/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hone/base/check.h"
#include "hone/reward/expression.h"
#include "hone/reward/number.h"

namespace hone::reward {
namespace {

Score verdict(const Problem& problem, std::string_view completion) {
  return verify_task({completion, problem.answer, 0, problem.metadata});
}

std::optional<Rational> value_of(std::string_view text) {
  const auto result = evaluate(text);
  return result ? std::optional(result->value) : std::nullopt;
}

}  // namespace

TEST(ArithmeticTask, DefaultsAreTheQuestionsOfTheDemo) {
  const ProblemSet set(ArithmeticTask{}, 17, 60);
  EXPECT_EQ(set.held_out_count(), 60u);
  EXPECT_EQ(set.train_count(), 228u);
  std::set<std::string> expected, seen;
  for (int a = 1; a <= 12; ++a) {
    for (int b = 1; b <= 12; ++b) {
      for (const char* op : {"+", "*"}) {
        expected.insert(fmt::format("What is {} {} {}? Reply with only the number.", a, op, b));
      }
    }
  }
  for (uint64_t i = 0; i < 60; ++i) seen.insert(set.held_out(i).question);
  EXPECT_EQ(seen.size(), 60u);
  for (uint64_t i = 0; i < 228; ++i) seen.insert(set.train(i).question);
  EXPECT_EQ(seen, expected);
}

TEST(ArithmeticTask, AnswersKeepPrecedence) {
  ArithmeticTask task;
  task.terms = 4;
  task.minimum = -9;
  task.maximum = 9;
  task.operations = {Operation::add, Operation::subtract, Operation::multiply};
  task.question = "{expression}";
  for (uint64_t rank = 0; rank < task.count(); rank += 104729) {
    const Problem problem = task.problem(0, rank);
    const auto value = value_of(problem.question);
    ASSERT_TRUE(value) << problem.question;
    EXPECT_EQ(std::to_string(value->numerator), problem.answer) << problem.question;
    EXPECT_EQ(verdict(problem, "= " + problem.answer).value, 1);
    EXPECT_EQ(verdict(problem, problem.answer + "1").value, 0);
    EXPECT_EQ(verdict(problem, "?").status, Status::unparsed);
  }
}

TEST(Tasks, EveryGeneratorSolvesItsOwnProblems) {
  for (const TaskConfig& task : {TaskConfig(ArithmeticTask{}), TaskConfig(CountdownTask{}),
                                 TaskConfig(SortingTask{}), TaskConfig(LettersTask{})}) {
    const ProblemSet set(task, 5, 40), same(task, 5, 40), other(task, 6, 40);
    std::set<std::string> held_out;
    int differing = 0;
    for (uint64_t i = 0; i < 40; ++i) {
      const Problem problem = set.held_out(i);
      held_out.insert(problem.question);
      EXPECT_EQ(problem.question, same.held_out(i).question);
      differing += problem.question != other.held_out(i).question;
      EXPECT_EQ(verdict(problem, problem.answer).value, 1) << problem.question;
      EXPECT_EQ(verdict(problem, "So\n<answer>" + problem.answer + "</answer>").value, 1);
      EXPECT_EQ(verdict(problem, "no idea").value, 0);
      EXPECT_EQ(problem.question.find('{'), std::string::npos) << problem.question;
    }
    EXPECT_EQ(held_out.size(), 40u);
    EXPECT_GT(differing, 30);
    for (uint64_t i = 0; i < 200; ++i) EXPECT_FALSE(held_out.count(set.train(i).question));
  }
}

TEST(CountdownTask, EveryMultisetOccursOnce) {
  CountdownTask task;
  task.maximum = 6;
  EXPECT_EQ(task.count(), 56u);  // multisets of 3 numbers out of 6
  std::set<std::vector<int64_t>> seen;
  for (uint64_t rank = 0; rank < task.count(); ++rank) {
    auto numbers = task.problem(1, rank).metadata["numbers"].get<std::vector<int64_t>>();
    std::sort(numbers.begin(), numbers.end());
    EXPECT_GE(numbers.front(), 1);
    EXPECT_LE(numbers.back(), 6);
    seen.insert(numbers);
  }
  EXPECT_EQ(seen.size(), 56u);
}

TEST(CountdownTask, VerifierAcceptsOnlyTheGivenNumbersOnce) {
  Problem problem;
  problem.metadata =
      Json{{"task", "countdown"}, {"numbers", {3, 3, 8, 8}}, {"target", 24}, {"use_all", true}};
  EXPECT_EQ(verdict(problem, "8 / (3 - 8 / 3)").value, 1);  // needs exact fractions
  EXPECT_EQ(verdict(problem, "8/(3-8/3) = 24").value, 1);
  EXPECT_EQ(verdict(problem, "8 ÷ (3 − 8 ÷ 3)").value, 1);
  EXPECT_EQ(verdict(problem, "8/(3-8/3) = 25").value, 0);
  EXPECT_EQ(verdict(problem, "8 * 3").value, 0);
  EXPECT_EQ(verdict(problem, "24").value, 0);
  EXPECT_EQ(verdict(problem, "24 * 1 * 1 * 1").value, 0);
  EXPECT_EQ(verdict(problem, "8 * 3 * 8 / 8 + 3 - 3").value, 0);
  EXPECT_EQ(verdict(problem, "the answer").status, Status::unparsed);
  EXPECT_EQ(verdict(problem, "83 - 38").value, 0);
  problem.metadata["use_all"] = false;
  EXPECT_EQ(verdict(problem, "8 * 3").value, 1);
  EXPECT_EQ(verdict(problem, "8 + 8 + 8").value, 0);
}

TEST(Expression, EvaluatesExactly) {
  EXPECT_EQ(value_of("1 + 2 * 3"), (Rational{7, 1}));
  EXPECT_EQ(value_of("(1 + 2) * -3"), (Rational{-9, 1}));
  EXPECT_EQ(value_of("1/3 + 1/6"), (Rational{1, 2}));
  EXPECT_EQ(value_of("8 - 2 - 1"), (Rational{5, 1}));
  EXPECT_EQ(value_of("16 / 4 / 2"), (Rational{2, 1}));
  EXPECT_EQ(evaluate("7*(2+7)")->numbers, (std::vector<int64_t>{7, 2, 7}));
}

TEST(Expression, RefusesEverythingElse) {
  for (const char* text : {"", "1 +", "(1", "1)", "1 2", "2^3", "2**3", "1.5", "a", "1/0", "+1",
                           "9223372036854775807 + 1", "99999999999999999999", "1;2", "()"}) {
    EXPECT_FALSE(evaluate(text)) << text;
  }
  EXPECT_FALSE(evaluate(std::string_view("1\0 + 2", 6)));
  EXPECT_FALSE(evaluate(std::string(200, '(') + "1" + std::string(200, ')')));
  EXPECT_FALSE(evaluate(std::string(500, '-') + "1"));
  EXPECT_FALSE(evaluate(std::string(2000, ' ') + "1"));
}

TEST(SortingTask, OrderAndSignsCount) {
  SortingTask task;
  task.descending = true;
  task.minimum = -5;
  task.maximum = 5;
  const Problem problem = task.problem(0, 12345 % task.count());
  EXPECT_NE(problem.question.find("descending"), std::string::npos);
  EXPECT_EQ(verdict(problem, problem.answer).value, 1);
  EXPECT_EQ(verdict({"", "3, -1, -4", {{"task", "sorting"}}}, "3,-1,-4").value, 1);
  EXPECT_EQ(verdict({"", "3, -1, -4", {{"task", "sorting"}}}, "3, 1, 4").value, 0);
  EXPECT_EQ(verdict({"", "3, -1, -4", {{"task", "sorting"}}}, "3, -1").value, 0);
}

TEST(LettersTask, CountsTheLetter) {
  LettersTask task;
  task.word_count = 2;
  task.words = {"green", "tree"};
  task.letters = "e";
  std::set<std::string> answers;
  EXPECT_EQ(task.count(), 4u);
  for (uint64_t rank = 0; rank < 4; ++rank) {
    const Problem problem = task.problem(0, rank);
    EXPECT_EQ(problem.answer, "4") << problem.question;
    answers.insert(problem.question);
  }
  EXPECT_EQ(answers.size(), 4u);
}

TEST(Tasks, BadOptionsAreInputErrors) {
  EXPECT_THROW(ProblemSet(ArithmeticTask{}, 1, 288), Error);
  ArithmeticTask huge;
  huge.maximum = 1000000000;
  EXPECT_THROW(ProblemSet(huge, 1, 10), Error);
  CountdownTask zero;
  zero.minimum = 0;
  EXPECT_THROW(ProblemSet(zero, 1, 10), Error);
  EXPECT_EQ(verify_task({"1", "1", 0, nullptr}).status, Status::skipped);
  EXPECT_EQ(verify_task({"1", "1", 0, {{"task", "unheard of"}}}).status, Status::skipped);
}

}  // namespace hone::reward
