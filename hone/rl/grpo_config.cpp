#include "hone/rl/grpo_config.h"

namespace hone::rl {

void GrpoConfig::check() const {
  RunOptions::check();
  loss.check();
  HONE_CHECK(data.task.has_value() != data.file.has_value(),
             "data must have exactly one of [data.task] and [data.file], but it has {}",
             data.task ? "both" : "neither");
  HONE_CHECK(rollout.prompts_per_step > 0 && rollout.max_response_length > 0,
             "rollout.prompts_per_step and rollout.max_response_length must be positive, but they "
             "are {} and {}",
             rollout.prompts_per_step, rollout.max_response_length);
  HONE_CHECK(rollout.n > 1,
             "rollout.n must be at least 2, as the advantage compares the completions of a prompt; "
             "it is {}",
             rollout.n);
  HONE_CHECK(rollout.temperature > 0, "rollout.temperature must be positive, but it is {}",
             rollout.temperature);
  HONE_CHECK(!reward.functions.empty(), "reward.functions is empty: nothing would be learned");
  HONE_CHECK(
      reward.accuracy >= 0 && reward.accuracy < static_cast<int64_t>(reward.functions.size()),
      "reward.accuracy must be an index of reward.functions, but it is {}", reward.accuracy);
  HONE_CHECK(update.epochs_per_batch > 0, "update.epochs_per_batch must be positive, but it is {}",
             update.epochs_per_batch);
  HONE_CHECK(update.mini_batch_size >= 0 && update.mini_batch_size % rollout.n == 0,
             "update.mini_batch_size counts completions in whole groups: it must be a multiple of "
             "rollout.n = {}, but it is {}",
             rollout.n, update.mini_batch_size);
  HONE_CHECK(optim.lr >= 0 && eval.samples >= 0 && data.held_out >= 0,
             "eval.samples and data.held_out must not be negative, but they are {} and {}",
             eval.samples, data.held_out);
}

}  // namespace hone::rl
