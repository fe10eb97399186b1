#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <random>

#include "hone/rl/policy_step.h"
#include "tests/tiny_model.h"

/// No split into micro-batches changes the loss or its gradient: the weights of all tokens are
/// known before the first backward.
namespace hone {
namespace {

using Ids = std::vector<int32_t>;

/// Groups of random completions with log-probabilities near what the model gives.
struct Step {
  std::vector<rl::RolloutPrompt> prompts;
  std::vector<rl::RolloutGroup> groups;
  std::vector<double> advantages;
  std::vector<int64_t> lengths;

  explicit Step(std::mt19937& random) {
    const auto ids = [&](int64_t count) {
      Ids result;
      for (int64_t i = 0; i < count; ++i) result.push_back(static_cast<int32_t>(random() % 256));
      return result;
    };
    prompts.resize(3);
    for (auto& prompt : prompts) {
      prompt.tokens = ids(1 + random() % 40);
      rl::RolloutGroup group{.prompt = &prompt, .completions = {}};
      for (int c = 0; c < 4; ++c) {
        rl::Completion completion;
        completion.tokens = ids(1 + random() % 30);
        const size_t length = completion.tokens.size();
        completion.log_probs.assign(length, -5.0f - static_cast<float>(random() % 100) / 100);
        completion.epochs.assign(length, 7);
        lengths.push_back(static_cast<int64_t>(length));
        advantages.push_back(static_cast<double>(random() % 200) / 100 - 1);
        group.completions.push_back(completion);
      }
      groups.push_back(group);
    }
    lengths[2] = 0;  // left out, as a truncated completion may be
  }
};

struct Outcome {
  double loss = 0;
  int64_t tokens = 0;
  std::vector<at::Tensor> gradients;
};

Outcome run(models::Model& model, const Step& step, rl::GrpoConfig config, int64_t max_tokens) {
  model.weights().zero_grad();
  const auto weights = rl::aggregation_weights(config.loss.agg, step.lengths, 64);
  rl::StepTotals totals;
  for (const auto& batch :
       rl::pack_groups(step.groups, {step.advantages, weights}, 0, max_tokens)) {
    rl::accumulate(model, nullptr, batch, config, totals);
  }
  Outcome outcome{totals.loss, totals.token_count, {}};
  for (const auto& entry : model.weights().entries()) {
    outcome.gradients.push_back(entry.parameter.grad.clone());
  }
  return outcome;
}

TEST(MicroBatch, NoSplitChangesLossOrGradient) {
  models::Model model(testing::tiny_config(), {.type = at::kFloat});
  testing::fill_weights(model.weights());
  model.weights().start_training();
  std::mt19937 random(5);
  for (rl::Aggregation agg :
       {rl::Aggregation::token_mean, rl::Aggregation::seq_mean_token_mean,
        rl::Aggregation::seq_mean_token_sum, rl::Aggregation::seq_mean_token_sum_norm}) {
    const Step step(random);
    rl::GrpoConfig config;
    config.loss.agg = agg;
    config.loss.entropy_coef = 0.01;
    const Outcome whole = run(model, step, config, 1 << 20);
    EXPECT_GT(whole.gradients[0].norm().item<double>(), 0);
    for (int64_t max_tokens : {1, 20, 50, 90}) {
      config.train.recompute = max_tokens == 50;
      const Outcome split = run(model, step, config, max_tokens);
      EXPECT_EQ(split.tokens, whole.tokens);
      EXPECT_NEAR(split.loss, whole.loss, 1e-9 * (1 + std::abs(whole.loss)));
      for (size_t i = 0; i < whole.gradients.size(); ++i) {
        const double size = whole.gradients[i].norm().item<double>();
        const double difference = (split.gradients[i] - whole.gradients[i]).norm().item<double>();
        EXPECT_LE(difference, 2e-6 * size + 1e-12) << "parameter " << i << ", " << max_tokens;
      }
    }
  }
}

TEST(MicroBatch, RecomputationGivesTheSameBits) {
  models::Model model(testing::tiny_config(), {.type = at::kBFloat16});
  testing::fill_weights(model.weights());
  model.weights().start_training();
  std::mt19937 random(6);
  const Step step(random);
  rl::GrpoConfig config;
  const Outcome kept = run(model, step, config, 1 << 20);
  config.train.recompute = true;
  const Outcome recomputed = run(model, step, config, 1 << 20);
  EXPECT_EQ(kept.loss, recomputed.loss);
  for (size_t i = 0; i < kept.gradients.size(); ++i) {
    EXPECT_TRUE(at::equal(kept.gradients[i], recomputed.gradients[i])) << i;
  }
}

}  // namespace
}  // namespace hone
