#pragma once

#include <string>
#include <vector>

#include "hone/data/sources.h"
#include "hone/reward/reward_set.h"
#include "hone/runner/engine.h"
#include "hone/text/tokenizer.h"

namespace hone::rl {

/// A prompt ready for the engine. Example: tokens of "<|im_start|>user\nWhat is 7 + 6? …", text the
/// same as text, answer "13".
struct RolloutPrompt {
  std::vector<int32_t> tokens;
  std::string text;
  std::string answer;
  Json metadata;
};

/// One sampled answer: `tokens` end with the stop token where it was drawn; log_probs and epochs
/// have one entry a token. `scores` is filled by the rewards.
struct Completion {
  std::vector<int32_t> tokens;
  std::vector<float> log_probs;
  std::vector<uint64_t> epochs;
  engine::FinishReason finish = engine::FinishReason::none;
  std::string text;
  reward::RewardScores scores;

  bool truncated() const { return finish == engine::FinishReason::length; }
};

/// The completions of one prompt.
struct RolloutGroup {
  const RolloutPrompt* prompt = nullptr;
  std::vector<Completion> completions;
};

/// How a batch of groups is sampled. The draws of completion i of prompt p are a function of
/// (seed, step, first_item + p, i).
struct RolloutRequest {
  int64_t samples = 1;
  engine::SamplingParams params;
  uint32_t step = 0, first_item = 0;
};

/// Samples `request.samples` completions of each prompt; groups are in the order of `prompts`,
/// which must outlive them.
std::vector<RolloutGroup> generate(runner::Engine& engine, const text::Tokenizer& tokenizer,
                                   std::span<const RolloutPrompt* const> prompts,
                                   const RolloutRequest& request);

/// Fills the scores of all completions.
void score(const reward::RewardSet& rewards, std::span<RolloutGroup> groups);

}  // namespace hone::rl
