#include "hone/kernels/head.h"

#include "hone/kernels/head_test_data.h"

namespace hone::kernels {
namespace {

class HeadTest : public testing::TestWithParam<Isa> {};

/// Statistics of raw logits, one row.
struct LogitCase {
  explicit LogitCase(std::vector<float> row) : logits(std::move(row)) {}

  float log_prob(int32_t target, Isa isa, float inverse_temperature = 1) {
    logit_log_probs({.rows = 1,
                     .vocabulary = static_cast<int64_t>(logits.size()),
                     .logits = logits.data(),
                     .stride = static_cast<int64_t>(logits.size()),
                     .inverse_temperature = &inverse_temperature,
                     .targets = &target,
                     .out = {&value, &log_sum_exp, &entropy}},
                    isa);
    return value;
  }

  std::vector<float> logits;
  float value = 0, log_sum_exp = 0, entropy = 0;
};

// Law 2: the engine samples from logits, the trainer uses the fused head, and both batch rows as
// they like. 515 rows are more than one block of rows, 2048 + 700 more than one chunk.
TEST_P(HeadTest, EveryWayToTheStatisticsGivesTheSameBits) {
  for (DType type : {DType::f32, DType::bf16}) {
    for (float softcap : {0.0f, 3.0f}) {
      const HeadShape shape{515, 24, kVocabularyChunk + 700, type, softcap};
      HeadCase fused(shape);
      ThreadPool single(1);
      head_log_probs(fused.head(), GetParam(), single);
      for (int threads : {1, 2, 3}) {
        ThreadPool pool(threads);
        HeadCase again(shape), from_logits(shape);
        head_log_probs(again.head(), GetParam(), pool);
        EXPECT_EQ(again.statistics(), fused.statistics()) << threads << " threads";
        log_probs_of_logits(from_logits, GetParam(), pool);
        EXPECT_EQ(from_logits.statistics(), fused.statistics()) << threads << " threads";
      }
      HeadCase alone(shape);
      for (int64_t row = 0; row < shape.rows; ++row) {
        head_log_probs(alone.row_alone(row), GetParam(), single);
      }
      EXPECT_EQ(alone.statistics(), fused.statistics());
    }
  }
}

TEST_P(HeadTest, ARowHasTheSameBitsAtEveryPosition) {
  HeadCase original({40, 33, 3000, DType::bf16});
  HeadCase moved({40, 33, 3000, DType::bf16});
  const auto x = original.x.values();
  for (int64_t i = 0; i < 40 * 33; ++i) {
    const int64_t row = (i / 33 + 17) % 40;
    write(moved.x.data(), DType::bf16, row * 33 + i % 33, x[i]);
    moved.targets[row] = original.targets[i / 33];
    moved.inverse_temperature[row] = original.inverse_temperature[i / 33];
  }
  head_log_probs(original.head(), GetParam());
  head_log_probs(moved.head(), GetParam());
  std::rotate(moved.log_prob.begin(), moved.log_prob.begin() + 17, moved.log_prob.end());
  std::rotate(moved.entropy.begin(), moved.entropy.begin() + 17, moved.entropy.end());
  EXPECT_EQ(bits_of(moved.log_prob), bits_of(original.log_prob));
  EXPECT_EQ(bits_of(moved.entropy), bits_of(original.entropy));
}

// Peaked rows at temperatures whose product with a logit rounds: a fused z - maximum would leave
// less than 1 in the total.
TEST_P(HeadTest, NoLogProbabilityExceedsZero) {
  const RandomStream random{21};
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> logits(40, -1e4f);
    logits[7] = static_cast<float>(200 * random.uniform(2 * round));
    const float inverse_temperature = static_cast<float>(0.1 + 3 * random.uniform(2 * round + 1));
    LogitCase problem(logits);
    ASSERT_EQ(problem.log_prob(7, GetParam(), inverse_temperature), 0.0f)
        << logits[7] << " times " << inverse_temperature;
    ASSERT_EQ(problem.log_sum_exp, logits[7] * inverse_temperature);
    ASSERT_EQ(problem.entropy, 0.0f);
  }
}

TEST_P(HeadTest, TemperatureScalesTheLogits) {
  const auto logits = random_values(3000, 5, 8);
  std::vector<float> half = logits, scaled = logits;
  for (float& logit : half) logit /= 2;
  for (float& logit : scaled) logit *= 0.7f;
  LogitCase plain(logits), doubled(half), product(scaled), cold(logits);
  EXPECT_EQ(plain.log_prob(11, GetParam()), doubled.log_prob(11, GetParam(), 2));
  EXPECT_EQ(product.log_prob(11, GetParam()), cold.log_prob(11, GetParam(), 0.7f));
  EXPECT_EQ(plain.entropy, doubled.entropy);
  EXPECT_NE(plain.value, cold.value);
}

TEST_P(HeadTest, EqualLogitsShareTheProbability) {
  for (int64_t vocabulary : {1, 5, 16, 2048, 2049, 5000}) {
    LogitCase problem(std::vector<float>(vocabulary, 3.0f));
    EXPECT_NEAR(problem.log_prob(0, GetParam()), -std::log(vocabulary), 1e-5);
    EXPECT_NEAR(problem.entropy, std::log(vocabulary), 1e-5);
  }
}

TEST_P(HeadTest, OneNanLogitMakesTheRowNanAndNoOther) {
  for (int64_t at : {0, 5, 2047, 2048, 4999}) {
    for (int32_t target : {3, 4000}) {
      auto logits = random_values(5000, 5, 8);
      logits[at] = NAN;
      LogitCase problem(logits);
      EXPECT_TRUE(std::isnan(problem.log_prob(target, GetParam()))) << at;
      EXPECT_TRUE(std::isnan(problem.log_sum_exp)) << at;
      EXPECT_TRUE(std::isnan(problem.entropy)) << at;
    }
  }
  HeadCase rows({5, 20, 100, DType::bf16});
  write(rows.x.data(), DType::bf16, 2 * 20, NAN);
  head_log_probs(rows.head(), GetParam());
  for (int row = 0; row < 5; ++row) EXPECT_EQ(std::isnan(rows.log_prob[row]), row == 2) << row;
}

TEST_P(HeadTest, InfiniteLogits) {
  std::vector<float> logits(5000, -INFINITY);
  EXPECT_TRUE(std::isnan(LogitCase(logits).log_prob(3, GetParam())));
  logits[4000] = 2;  // the first chunk is masked altogether
  LogitCase masked(logits);
  EXPECT_EQ(masked.log_prob(4000, GetParam()), 0.0f);
  EXPECT_EQ(masked.entropy, 0.0f);
  EXPECT_EQ(masked.log_prob(3, GetParam()), -INFINITY);
  logits[10] = INFINITY;
  EXPECT_TRUE(std::isnan(LogitCase(logits).log_prob(10, GetParam())));
}

TEST_P(HeadTest, TargetsAndStatisticsMayBeLeftOut) {
  HeadCase full({9, 20, 2100}), part({9, 20, 2100});
  head_log_probs(full.head(), GetParam());
  Head head = part.head();
  head.targets = nullptr;
  head.out.log_prob = head.out.entropy = nullptr;
  head_log_probs(head, GetParam());
  EXPECT_EQ(bits_of(part.log_sum_exp), bits_of(full.log_sum_exp));
}

TEST(HeadDeathTest, ATargetOutsideTheVocabularyStops) {
  HeadCase problem({1, 4, 10});
  problem.targets[0] = 10;
  EXPECT_DEATH(head_log_probs(problem.head(), Isa::scalar), "target 10 of row 0");
}

INSTANTIATE_TEST_SUITE_P(EveryPath, HeadTest, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace hone::kernels
