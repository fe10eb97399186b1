#include "hone/rl/rollout.h"

#include <map>

namespace hone::rl {
namespace {

Completion take_completion(engine::Sequence& sequence, const text::Tokenizer& tokenizer) {
  Completion completion;
  const auto output = sequence.output();
  completion.tokens.assign(output.begin(), output.end());
  completion.log_probs = std::move(sequence.log_probs);
  completion.epochs = std::move(sequence.epochs);
  completion.finish = sequence.finish_reason;
  completion.text = tokenizer.decode(completion.tokens, true);
  return completion;
}

}  // namespace

std::vector<RolloutGroup> generate(runner::Engine& engine, const text::Tokenizer& tokenizer,
                                   std::span<const RolloutPrompt* const> prompts,
                                   const RolloutRequest& request) {
  std::vector<RolloutGroup> groups(prompts.size());
  std::map<uint64_t, size_t> group_of;
  for (size_t p = 0; p < prompts.size(); ++p) {
    groups[p].prompt = prompts[p];
    groups[p].completions.resize(request.samples);
    group_of[engine.add({.prompt = prompts[p]->tokens,
                         .params = request.params,
                         .samples = request.samples,
                         .step = request.step,
                         .item = request.first_item + static_cast<uint32_t>(p)})] = p;
  }
  for (const auto& sequence : engine.run()) {
    if (sequence->finish_reason == engine::FinishReason::failed) {
      fail(
          "rollout: the model gave no finite logits for a completion of '{}'; the weights may "
          "have diverged, lower optim.lr",
          groups[group_of.at(sequence->request_id)].prompt->text);
    }
    groups[group_of.at(sequence->request_id)].completions[sequence->sample_index] =
        take_completion(*sequence, tokenizer);
  }
  return groups;
}

void score(const reward::RewardSet& rewards, std::span<RolloutGroup> groups) {
  for (auto& group : groups) {
    for (auto& completion : group.completions) {
      completion.scores =
          rewards.score({.completion = completion.text,
                         .answer = group.prompt->answer,
                         .token_count = static_cast<int64_t>(completion.tokens.size()),
                         .metadata = group.prompt->metadata});
    }
  }
}

}  // namespace hone::rl
