#pragma once

#include <optional>
#include <vector>

#include "hone/data/sources.h"
#include "hone/reward/reward_set.h"
#include "hone/reward/tasks.h"
#include "hone/rl/advantage.h"
#include "hone/rl/policy_loss.h"
#include "hone/train/run_config.h"

namespace hone::rl {

/// Where prompts come from: one of a generated task and a file.
struct PromptDataOptions {
  std::optional<reward::TaskConfig> task;
  std::optional<data::PromptOptions> file;
  std::optional<data::PromptOptions> eval_file;
  int64_t held_out = 0;
  uint64_t seed = 1;
  int64_t max_prompt_length = 1024;

  static void fields(auto&& self, auto&& visit) {
    visit("task", self.task, "generator of problems with a verifier");
    visit("file", self.file, "JSON-lines file of prompts with ground truth");
    visit("eval_file", self.eval_file, "file of held-out prompts; without: held_out of the source");
    visit("held_out", self.held_out, "prompts kept for evaluation, drawn by seed");
    visit("seed", self.seed, "draws the problems and the held-out part");
    visit("max_prompt_length", self.max_prompt_length,
          "longest prompt in tokens; longer is an error");
  }
};

struct RolloutOptions {
  int64_t prompts_per_step = 8;
  int64_t n = 8;
  int64_t max_response_length = 256;
  float temperature = 1;
  int64_t kv_bytes = int64_t{1} << 30;
  int64_t max_step_tokens = 2048;
  int64_t max_running = 256;

  static void fields(auto&& self, auto&& visit) {
    visit("prompts_per_step", self.prompts_per_step, "prompts of one training step");
    visit("n", self.n, "completions of each prompt");
    visit("max_response_length", self.max_response_length, "most tokens of a completion");
    visit("temperature", self.temperature, "divides the logits, in rollout and training alike");
    visit("kv_bytes", self.kv_bytes, "bytes of the key-value cache");
    visit("max_step_tokens", self.max_step_tokens, "tokens of one step of the engine");
    visit("max_running", self.max_running, "sequences of one step of the engine");
  }
};

struct AlgorithmOptions {
  AdvantageStd adv_std = AdvantageStd::group;
  double adv_eps = 1e-6;

  static void fields(auto&& self, auto&& visit) {
    visit("adv_std", self.adv_std,
          "what the advantage is divided by: deviation of group, batch, none");
    visit("adv_eps", self.adv_eps, "added to that deviation");
  }
};

struct UpdateOptions {
  int64_t mini_batch_size = 0;
  int64_t epochs_per_batch = 1;

  static void fields(auto&& self, auto&& visit) {
    visit("mini_batch_size", self.mini_batch_size,
          "completions of one optimizer step, whole groups; 0: all of the training step");
    visit("epochs_per_batch", self.epochs_per_batch, "passes over the completions of a step");
  }
};

struct EvalOptions {
  int64_t every = 0;
  int64_t samples = 4;
  bool before = true;

  static void fields(auto&& self, auto&& visit) {
    visit("every", self.every, "steps between evaluations; 0: only before and after");
    visit("samples", self.samples,
          "sampled completions of each held-out prompt, beside the greedy one");
    visit("before", self.before, "evaluate before the first step");
  }
};

struct GoalOptions {
  double sampled = 0, greedy = 0;

  static void fields(auto&& self, auto&& visit) {
    visit("sampled", self.sampled, "least share of right sampled answers at the end");
    visit("greedy", self.greedy, "least share of right greedy answers at the end");
  }
};

struct RewardOptions {
  std::vector<reward::RewardConfig> functions;
  int64_t accuracy = 0;

  static void fields(auto&& self, auto&& visit) {
    visit("functions", self.functions, "rewards that add up with their weights");
    visit("accuracy", self.accuracy, "index of the reward that counts as correct in evaluations");
  }
};

/// A run file of method "grpo".
struct GrpoConfig : train::RunOptions {
  PromptDataOptions data;
  RolloutOptions rollout;
  RewardOptions reward;
  AlgorithmOptions algorithm;
  PolicyLossConfig loss;
  UpdateOptions update;
  EvalOptions eval;
  GoalOptions goal;

  static void fields(auto&& self, auto&& visit) {
    train::RunOptions::fields(self, visit);
    visit("data", self.data, "prompts");
    visit("rollout", self.rollout, "generation");
    visit("reward", self.reward, "rewards");
    visit("algorithm", self.algorithm, "advantages");
    visit("loss", self.loss, "the policy loss");
    visit("update", self.update, "optimizer steps on one batch of completions");
    visit("eval", self.eval, "evaluation on held-out prompts");
    visit("goal", self.goal, "what the run must reach; exit status 4 where it is missed");
  }
  /// Throws an input error that names the key to change.
  void check() const;
};

}  // namespace hone::rl
