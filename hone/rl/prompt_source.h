#pragma once

#include "hone/data/order.h"
#include "hone/rl/grpo_config.h"
#include "hone/rl/rollout.h"
#include "hone/text/chat_template.h"

namespace hone::rl {

/// Turns messages into the tokens that the engine continues.
struct PromptEncoder {
  const text::Tokenizer& tokenizer;
  const text::ChatTemplate& chat_template;
  Json variables;  // bos_token, eos_token …

  RolloutPrompt encode(const data::Prompt& prompt) const;
};

/// All prompts of a run, encoded once: those to train on and those held out.
class PromptSource {
 public:
  PromptSource(const PromptDataOptions& options, const PromptEncoder& encoder);

  const std::vector<RolloutPrompt>& train() const { return train_; }
  const std::vector<RolloutPrompt>& held_out() const { return held_out_; }
  /// Identity of the training prompts: their number and the hash of their tokens and answers.
  data::DataIdentity identity() const;

 private:
  std::vector<RolloutPrompt> train_, held_out_;
};

}  // namespace hone::rl
