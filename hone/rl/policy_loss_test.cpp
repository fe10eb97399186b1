#include "hone/rl/policy_loss.h"

#include <gtest/gtest.h>

#include <random>

#include "hone/base/check.h"

/// Values of TRL 1.16, verl 0.9.1 and OpenRLHF 0.11.2 on one input, computed in float64 with their
/// own functions.
namespace hone::rl {
namespace {

constexpr double kTolerance = 1e-9;

struct Fixture {
  std::vector<double> old_log_prob{-1, -2, -.5, -1.5, -.7, -1.2, -3};
  std::vector<double> log_prob{-.8, -2.5, -.5, -.9, -.7, -.6, -4.6};
  std::vector<double> reference{-1, -2.2, -.4, -1, -.9, -1, -4};
  std::vector<double> entropy{.1, .9, .4, .3, .8, .2, .6};
  std::vector<double> advantage{1, 1, 1, 1, -.5, -.5, -.5};
  std::vector<int64_t> lengths{4, 3};

  PolicyLoss run(const PolicyLossConfig& config, bool with_reference = false) const {
    const auto per_sequence = aggregation_weights(config.agg, lengths, config.norm_length);
    std::vector<double> weight;
    for (size_t s = 0; s < lengths.size(); ++s) {
      weight.insert(weight.end(), lengths[s], per_sequence[s]);
    }
    return policy_loss(config,
                       {.log_prob = log_prob,
                        .old_log_prob = old_log_prob,
                        .reference_log_prob = with_reference ? std::span<const double>(reference)
                                                             : std::span<const double>(),
                        .entropy = entropy,
                        .advantage = advantage,
                        .weight = weight});
  }
};

void expect_gradient(const PolicyLoss& loss, std::vector<double> expected) {
  ASSERT_EQ(loss.grad_log_prob.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(loss.grad_log_prob[i], expected[i], 1e-8) << "token " << i;
  }
}

TEST(PolicyLoss, TokenMeanIsThatOfVerlTrlAndOpenrlhf) {
  const auto loss = Fixture().run({.agg = Aggregation::token_mean});
  EXPECT_NEAR(loss.loss, -0.3136387514, kTolerance);
  expect_gradient(loss, {0, -.08664724, -.14285714, 0, .07142857, .13015134, 0});
  EXPECT_EQ(loss.clipped_low + loss.clipped_high, 3);
  EXPECT_NEAR(loss.approx_kl1 / loss.token_count, 0.1, kTolerance);
}

TEST(PolicyLoss, SequenceMeanIsThatOfVerlAndTrl) {
  const auto loss = Fixture().run({.agg = Aggregation::seq_mean_token_mean});
  EXPECT_NEAR(loss.loss, -0.1989730989, kTolerance);
  expect_gradient(loss, {0, -.07581633, -.125, 0, .08333333, .15184323, 0});
}

TEST(PolicyLoss, ConstantDivisorIsThatOfDrGrpo) {
  EXPECT_NEAR(Fixture().run({.agg = Aggregation::seq_mean_token_sum_norm, .norm_length = 8}).loss,
              -0.1372169537, kTolerance);
  EXPECT_NEAR(Fixture().run({.agg = Aggregation::seq_mean_token_sum}).loss, -1.0977356298,
              kTolerance);
}

TEST(PolicyLoss, ClipHigherIsThatOfVerl) {
  EXPECT_NEAR(Fixture().run({.clip_high = .28}).loss, -0.3281248597, kTolerance);
}

TEST(PolicyLoss, KlIsThatOfTrl) {
  const auto loss = Fixture().run({.kl = {.coef = .04, .estimator = KlEstimator::k3}}, true);
  EXPECT_NEAR(loss.loss, -0.3114115085, kTolerance);
  EXPECT_NEAR(loss.grad_log_prob[0], .00103582, 1e-8);
}

TEST(PolicyLoss, EntropyBonusIsThatOfTrl) {
  const auto loss = Fixture().run({.entropy_coef = .01});
  EXPECT_NEAR(loss.loss, -0.3183530371, kTolerance);
  EXPECT_NEAR(loss.entropy / loss.token_count, .47142857, 1e-8);
}

TEST(PolicyLoss, AggregationsAreThoseOfVerl) {
  const std::vector<int64_t> lengths{4, 3};
  const std::vector<double> token_losses{1, 2, 3, 4, 10, 20, 30};
  const auto total = [&](Aggregation agg, int64_t norm) {
    const auto weights = aggregation_weights(agg, lengths, norm);
    double sum = 0;
    for (size_t t = 0; t < token_losses.size(); ++t)
      sum += token_losses[t] * weights[t < 4 ? 0 : 1];
    return sum;
  };
  EXPECT_NEAR(total(Aggregation::token_mean, 0), 10, kTolerance);
  EXPECT_NEAR(total(Aggregation::seq_mean_token_sum, 0), 35, kTolerance);
  EXPECT_NEAR(total(Aggregation::seq_mean_token_mean, 0), 11.25, kTolerance);
  EXPECT_NEAR(total(Aggregation::seq_mean_token_sum_norm, 4), 8.75, kTolerance);
}

TEST(PolicyLoss, GradientsAreThoseOfFiniteDifferences) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (KlEstimator estimator :
       {KlEstimator::none, KlEstimator::k1, KlEstimator::k2, KlEstimator::k3}) {
    const PolicyLossConfig config{
        .entropy_coef = .1,
        .kl = {.coef = estimator == KlEstimator::none ? 0 : .3, .estimator = estimator}};
    Fixture fixture;
    for (size_t t = 0; t < fixture.log_prob.size(); ++t) {
      fixture.log_prob[t] = fixture.old_log_prob[t] + .3 * normal(random);
      fixture.advantage[t] = normal(random);
    }
    const auto loss = fixture.run(config, true);
    for (size_t t = 0; t < fixture.log_prob.size(); ++t) {
      Fixture above = fixture, below = fixture;
      above.log_prob[t] += 1e-6;
      below.log_prob[t] -= 1e-6;
      EXPECT_NEAR(loss.grad_log_prob[t],
                  (above.run(config, true).loss - below.run(config, true).loss) / 2e-6, 1e-7);
    }
  }
}

TEST(PolicyLoss, SequencesLeftOutCountNowhere) {
  const auto weights =
      aggregation_weights(Aggregation::seq_mean_token_mean, std::vector<int64_t>{0, 4, 2}, 0);
  EXPECT_EQ(weights, (std::vector<double>{0, 1. / 8, 1. / 4}));
}

}  // namespace
}  // namespace hone::rl
