#include <gtest/gtest.h>

#include "hone/base/files.h"
#include "hone/base/json.h"
#include "hone/rl/policy_loss.h"

/// TRL's own GRPO loss on the same numbers; see tools/golden/policy_loss.py.
namespace hone::rl {
namespace {

using Numbers = std::vector<double>;

Aggregation aggregation_of(const std::string& loss_type) {
  if (loss_type == "grpo") return Aggregation::seq_mean_token_mean;
  if (loss_type == "luspo") return Aggregation::seq_mean_token_sum;
  if (loss_type == "dr_grpo") return Aggregation::seq_mean_token_sum_norm;
  return Aggregation::token_mean;  // dapo, and bnpo in one micro-batch
}

TEST(PolicyLossGolden, ValuesGradientsAndClipSharesAreThoseOfTrl) {
  const Json golden = parse_json(
      read_file(Path(HONE_SOURCE_DIR) / "tests/golden/data/policy_loss.json"), "policy_loss.json");
  const auto lengths = golden["lengths"].get<std::vector<int64_t>>();
  for (const Json& item : golden["cases"]) {
    SCOPED_TRACE(item["loss_type"].get<std::string>());
    PolicyLossConfig config{.agg = aggregation_of(item["loss_type"]),
                            .clip_low = item["clip_low"],
                            .clip_high = item["clip_high"],
                            .entropy_coef = item["entropy_coef"]};
    config.kl.coef = item["beta"];
    const auto weights = aggregation_weights(config.agg, lengths, golden["max_length"]);
    const auto advantages = item["advantage"].get<Numbers>();
    Numbers weight, advantage;
    for (size_t s = 0; s < lengths.size(); ++s) {
      weight.insert(weight.end(), lengths[s], weights[s]);
      advantage.insert(advantage.end(), lengths[s], advantages[s]);
    }
    const auto log_prob = item["log_prob"].get<Numbers>(),
               old = item["old_log_prob"].get<Numbers>(),
               reference = item["reference_log_prob"].get<Numbers>(),
               entropy = item["entropy"].get<Numbers>();
    const PolicyLoss loss = policy_loss(config, {.log_prob = log_prob,
                                                 .old_log_prob = old,
                                                 .reference_log_prob = reference,
                                                 .entropy = entropy,
                                                 .advantage = advantage,
                                                 .weight = weight});
    EXPECT_NEAR(loss.loss, item["loss"].get<double>(), 1e-12);
    const auto gradient = item["grad_log_prob"].get<Numbers>();
    for (size_t t = 0; t < gradient.size(); ++t) {
      EXPECT_NEAR(loss.grad_log_prob[t], gradient[t], 1e-12) << "token " << t;
    }
    const auto tokens = static_cast<double>(loss.token_count);
    EXPECT_NEAR(loss.clipped_low / tokens, item["clip_ratio/low_mean"].get<double>(), 1e-7);
    EXPECT_NEAR(loss.clipped_high / tokens, item["clip_ratio/high_mean"].get<double>(), 1e-7);
  }
}

}  // namespace
}  // namespace hone::rl
