#pragma once

#include "hone/rl/grpo_config.h"
#include "hone/rl/rollout.h"

namespace hone::rl {

/// Share of held-out completions that the accuracy reward calls right (value 1).
struct Evaluation {
  double sampled = 0;  // over eval.samples completions of each prompt at rollout.temperature
  double greedy = 0;   // over the greedy completions
};

/// Evaluates on `prompts`; the draws are a function of (seed, step) and apart from the rollout's.
Evaluation evaluate(runner::Engine& engine, const text::Tokenizer& tokenizer,
                    const reward::RewardSet& rewards, std::span<const RolloutPrompt> prompts,
                    const GrpoConfig& config, const engine::SamplingParams& params, uint32_t step);

}  // namespace hone::rl
