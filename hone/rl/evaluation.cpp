#include "hone/rl/evaluation.h"

namespace hone::rl {
namespace {

/// Items of evaluation draws begin here, so that they never meet those of a rollout.
constexpr uint32_t kFirstItem = 1u << 31;

double share_right(std::span<const RolloutGroup> groups, int64_t accuracy) {
  int64_t right = 0, all = 0;
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) {
      right += completion.scores.parts[accuracy].value == 1;
      ++all;
    }
  }
  return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace

Evaluation evaluate(runner::Engine& engine, const text::Tokenizer& tokenizer,
                    const reward::RewardSet& rewards, std::span<const RolloutPrompt> prompts,
                    const GrpoConfig& config, const engine::SamplingParams& params, uint32_t step) {
  std::vector<const RolloutPrompt*> pointers;
  for (const auto& prompt : prompts) pointers.push_back(&prompt);
  const auto share = [&](int64_t samples, float temperature) {
    if (samples == 0) return 0.0;
    RolloutRequest request{
        .samples = samples, .params = params, .step = step, .first_item = kFirstItem};
    request.params.temperature = temperature;
    auto groups = generate(engine, tokenizer, pointers, request);
    score(rewards, groups);
    return share_right(groups, config.reward.accuracy);
  };
  return {.sampled = share(config.eval.samples, config.rollout.temperature), .greedy = share(1, 0)};
}

}  // namespace hone::rl
