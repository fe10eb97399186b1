#include "hone/rl/dry_run.h"

#include <fmt/ranges.h>

#include "hone/rl/prompt_source.h"
#include "hone/train/dry_run.h"

namespace hone::rl {
namespace {

train::MemoryPlan plan_memory(const GrpoConfig& config, const models::Model& outline) {
  train::MemoryPlan plan = train::plan_memory(config, outline);
  const auto& decoder = outline.decoder().config();
  if (config.loss.kl.coef != 0) plan.rows.push_back({"reference model", plan.rows[0].bytes});
  plan.rows.push_back({"key-value cache, rollout.kv_bytes", config.rollout.kv_bytes});
  const int64_t sequences =
      std::min(config.rollout.max_running, config.rollout.prompts_per_step * config.rollout.n);
  plan.rows.push_back(
      {fmt::format("logits of {} sequences, f32", sequences), 4 * sequences * decoder.vocabulary});
  return plan;
}

}  // namespace

std::string dry_run(const GrpoConfig& config) {
  const auto outline = train::outline_model(config);
  const train::MemoryPlan memory = plan_memory(config, *outline);
  train::check_memory(memory,
                      "lower rollout.kv_bytes or train.max_tokens_per_micro_batch, or set "
                      "train.recompute = true");
  const auto files = train::ModelFiles::load(config.model.path);
  const PromptSource prompts(
      config.data, PromptEncoder{files.tokenizer, files.chat_template, files.template_variables});
  const reward::RewardSet rewards(config.reward.functions);
  data::DataOrder order(prompts.identity(), config.seed);
  std::string batch;
  int64_t number = 0;
  for (int64_t item : order.next_batch(config.rollout.prompts_per_step)) {
    const RolloutPrompt& prompt = prompts.train()[item];
    const std::vector<uint8_t> trained(prompt.tokens.size());
    batch += fmt::format("--- {}: {} tokens, answer {}\n{}«completion»\n", ++number,
                         prompt.tokens.size(), prompt.answer,
                         train::marked_text(files.tokenizer, prompt.tokens, trained));
  }
  return train::describe_model(config, *outline) +
         fmt::format("data    {} prompts, {} held out\nreward  {}\nmemory\n{}",
                     prompts.train().size(), prompts.held_out().size(),
                     fmt::join(rewards.names(), ", "), memory.table()) +
         fmt::format("first step: {} prompts x {} completions of at most {} tokens («»)\n{}",
                     config.rollout.prompts_per_step, config.rollout.n,
                     config.rollout.max_response_length, batch);
}

}  // namespace hone::rl
