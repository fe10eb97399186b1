#include "hone/engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hone/base/rng.h"

namespace hone::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const RandomStream kRandom{.seed = 5};

std::vector<float> random_logits(size_t count, uint64_t name, double spread = 4) {
  const RandomStream random{.seed = name};
  std::vector<float> logits(count);
  for (size_t i = 0; i < count; ++i) {
    logits[i] = static_cast<float>(spread * (random.uniform(i) + random.uniform(i + count) - 1));
  }
  return logits;
}

/// The distribution by the textbook: sort everything, filter one after the other, in double.
std::vector<double> distribution(std::span<const float> logits, const SamplingParams& params) {
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  std::vector<double> p(logits.size());
  const double best = static_cast<double>(logits[order[0]]);
  const auto normalise = [&] {
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
  };
  for (size_t i = 0; i < p.size(); ++i) {
    p[i] =
        std::exp((static_cast<double>(logits[i]) - best) / static_cast<double>(params.temperature));
    if (p[i] < static_cast<double>(params.min_p)) p[i] = 0;
  }
  for (size_t rank = 0; rank < order.size(); ++rank) {
    if (params.top_k > 0 && rank >= static_cast<size_t>(params.top_k)) p[order[rank]] = 0;
  }
  normalise();
  double before = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const double own = p[order[rank]];
    if (rank > 0 && before >= static_cast<double>(params.top_p)) p[order[rank]] = 0;
    before += own;
  }
  normalise();
  return p;
}

/// Chi-square of `draws` choices against `p`, as a z-score (Wilson and Hilferty, 1931).
double chi_square_z(std::span<const float> logits, const SamplingParams& params,
                    const std::vector<double>& p, int draws) {
  std::vector<double> counts(p.size(), 0);
  for (int i = 0; i < draws; ++i) {
    ++counts[choose_token(logits, params, {}, kRandom.uniform(i)).token];
  }
  double chi = 0, rest_count = 0, rest_expected = 0;
  int cells = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double expected = p[i] * draws;
    if (p[i] == 0 && counts[i] > 0) ADD_FAILURE() << "token " << i << " was filtered out";
    if (expected < 5) {
      rest_count += counts[i];
      rest_expected += expected;
      continue;
    }
    chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    ++cells;
  }
  if (rest_expected >= 5) {
    chi += (rest_count - rest_expected) * (rest_count - rest_expected) / rest_expected;
    ++cells;
  }
  const double k = cells - 1;
  return k < 1 ? 0 : (std::cbrt(chi / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

int32_t greedy(std::vector<float> logits) {
  return choose_token(logits, {.temperature = 0}, {}, 0.5).token;
}

}  // namespace

TEST(Sampler, DrawsFollowTheDistribution) {
  const std::vector<SamplingParams> cases{
      {},
      {.temperature = 0.7f},
      {.temperature = 1.5f},
      {.top_k = 7},
      {.top_p = 0.8f},
      {.min_p = 0.1f},
      {.temperature = 0.8f, .top_k = 40, .top_p = 0.9f, .min_p = 0.02f},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    for (const size_t vocabulary : {3u, 50u, 1000u, 3000u}) {
      const auto logits = random_logits(vocabulary, 10 + i);
      const auto p = distribution(logits, cases[i]);
      EXPECT_LT(std::abs(chi_square_z(logits, cases[i], p, 20000)), 4)
          << "case " << i << " vocabulary " << vocabulary;
    }
  }
}

TEST(Sampler, AWrongDistributionFailsTheChiSquare) {
  const auto logits = random_logits(50, 10);
  const auto p = distribution(logits, {.temperature = 1.1f});
  EXPECT_GT(chi_square_z(logits, {}, p, 20000), 5);
}

TEST(Sampler, FilteredLogProbIsThatOfTheRenormalisedSet) {
  for (const SamplingParams& params :
       {SamplingParams{.top_k = 5}, SamplingParams{.temperature = 0.5f, .top_p = 0.95f},
        SamplingParams{.top_k = 300, .top_p = 0.7f}, SamplingParams{.min_p = 0.05f}}) {
    const auto logits = random_logits(2000, 3);
    const auto p = distribution(logits, params);
    for (int i = 0; i < 200; ++i) {
      const Choice choice = choose_token(logits, params, {}, kRandom.uniform(i));
      ASSERT_TRUE(choice.log_prob.has_value());
      EXPECT_NEAR(static_cast<double>(*choice.log_prob), std::log(p[choice.token]), 1e-5);
    }
  }
}

TEST(Sampler, PlainAndFilteredDrawsAgree) {
  const auto logits = random_logits(5000, 4);
  for (const SamplingParams& params :
       {SamplingParams{.top_k = 5000}, SamplingParams{.top_p = 0.9999999f}}) {
    int differences = 0;
    for (int i = 0; i < 1000; ++i) {
      const double uniform = kRandom.uniform(i);
      const Choice plain = choose_token(logits, {}, {}, uniform);
      EXPECT_FALSE(plain.log_prob.has_value());
      differences += plain.token != choose_token(logits, params, {}, uniform).token;
    }
    EXPECT_LE(differences, 1);  // a draw may fall on a border within float rounding
  }
}

TEST(Sampler, ABorderBelongsToTheTokenAfterIt) {
  const std::vector<float> equal(4, 0.25f);
  EXPECT_EQ(choose_token(equal, {}, {}, 0.5).token, 2);
  EXPECT_EQ(choose_token(equal, {}, {}, 0.5 - 0x1p-53).token, 1);
  EXPECT_EQ(choose_token(equal, {.top_k = 4}, {}, 0.5).token, 2);
}

TEST(Sampler, TheEndsOfTheUniformAreDrawable) {
  const auto logits = random_logits(151936, 4);
  EXPECT_EQ(choose_token(logits, {}, {}, 0).token, 0);
  EXPECT_EQ(choose_token(logits, {}, {}, 1 - 0x1p-53).token, 151935);
  const std::vector<float> padded{-kInfinity, 1, -kInfinity, 1, -kInfinity};
  EXPECT_EQ(choose_token(padded, {}, {}, 0).token, 1);
  EXPECT_EQ(choose_token(padded, {}, {}, 1 - 0x1p-53).token, 3);
}

TEST(Sampler, GreedyTakesTheLowestOfEqualBest) {
  EXPECT_EQ(greedy({0, 3, 1, 3}), 1);
  EXPECT_EQ(greedy({-kInfinity, -5}), 1);
  EXPECT_EQ(*choose_token(std::vector<float>{0, 1}, {.temperature = 0}, {}, 0).log_prob, 0);
}

TEST(Sampler, OnePossibleTokenIsAlwaysDrawn) {
  std::vector<float> logits(100, -kInfinity);
  logits[42] = -1e30f;
  for (const SamplingParams& params :
       {SamplingParams{}, SamplingParams{.temperature = 1e-5f}, SamplingParams{.top_k = 1000},
        SamplingParams{.top_p = 0}, SamplingParams{.min_p = 1}, SamplingParams{.temperature = 0}}) {
    EXPECT_EQ(choose_token(logits, params, {}, 0.99).token, 42);
  }
}

TEST(Sampler, BrokenLogitsGiveNoToken) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float temperature : {0.0f, 1.0f}) {
    const SamplingParams params{.temperature = temperature};
    EXPECT_EQ(choose_token(std::vector<float>{0, nan, 1}, params, {}, 0.5).token, kNoToken);
    EXPECT_EQ(choose_token(std::vector<float>{0, kInfinity}, params, {}, 0.5).token, kNoToken);
    EXPECT_EQ(choose_token(std::vector<float>(3, -kInfinity), params, {}, 0.5).token, kNoToken);
  }
}

TEST(Sampler, FiltersAtTheirEnds) {
  const auto logits = random_logits(100, 6);
  const int32_t best = greedy(logits);
  for (int i = 0; i < 100; ++i) {
    const double uniform = kRandom.uniform(i);
    EXPECT_EQ(choose_token(logits, {.top_p = 0}, {}, uniform).token, best);
    EXPECT_EQ(choose_token(logits, {.top_k = 1}, {}, uniform).token, best);
    EXPECT_EQ(choose_token(logits, {.min_p = 1}, {}, uniform).token, best);
    EXPECT_EQ(choose_token(logits, {.temperature = 1e-4f}, {}, uniform).token, best);
  }
  const std::vector<float> equal(10, 1.5f);
  for (int i = 0; i < 100; ++i) {
    EXPECT_LT(choose_token(equal, {.top_k = 3}, {}, kRandom.uniform(i)).token, 3);
  }
}

TEST(Sampler, PenaltiesFollowTheirDefinitions) {
  const std::vector<float> logits{2, -1, 2, 0.5f};
  const std::vector<int32_t> prompt{0}, output{1, 2, 2};
  const TokenHistory history{prompt, output};
  const auto log_odds = [&](SamplingParams params, int32_t token) {
    double found = std::numeric_limits<double>::quiet_NaN(), base = found;
    for (int i = 0; i < 1000; ++i) {
      const Choice choice = choose_token(logits, params, history, (i + 0.5) / 1000);
      if (choice.token == token) found = static_cast<double>(*choice.log_prob);
      if (choice.token == 3) base = static_cast<double>(*choice.log_prob);
    }
    return found - base + 0.5;  // token 3 was never seen: its logit stays 0.5
  };
  EXPECT_NEAR(log_odds({.repetition_penalty = 2}, 0), 1, 1e-5);
  EXPECT_NEAR(log_odds({.repetition_penalty = 2}, 1), -2, 1e-5);
  EXPECT_NEAR(log_odds({.frequency_penalty = 0.25f}, 0), 2, 1e-5);
  EXPECT_NEAR(log_odds({.frequency_penalty = 0.25f}, 2), 1.5, 1e-5);
  EXPECT_NEAR(log_odds({.presence_penalty = 0.25f}, 0), 2, 1e-5);
  EXPECT_NEAR(log_odds({.presence_penalty = 0.25f}, 2), 1.75, 1e-5);
}

TEST(Sampler, StopTokensAreMaskedBeforeMinTokens) {
  const std::vector<float> logits{9, 1, 1};
  const std::vector<int32_t> output{1, 1};
  SamplingParams params{.min_tokens = 3, .stop_token_ids = {0, 77}};
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(choose_token(logits, params, {{}, output}, kRandom.uniform(i)).token, 0);
  }
  params.min_tokens = 2;
  EXPECT_EQ(choose_token(logits, params, {{}, output}, 0.1).token, 0);
}

}  // namespace hone::engine
