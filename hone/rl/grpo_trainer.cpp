#include "hone/rl/grpo_trainer.h"

#include <chrono>

#include "hone/base/cpu.h"
#include "hone/base/log.h"
#include "hone/base/stop_signals.h"
#include "hone/rl/step_report.h"

namespace hone::rl {
namespace {

engine::SamplingParams sampling_params(const GrpoConfig& config, const train::ModelFiles& files) {
  engine::SamplingParams params;
  params.temperature = config.rollout.temperature;
  params.max_tokens = static_cast<int32_t>(config.rollout.max_response_length);
  params.stop_token_ids = files.eos_token_ids;
  params.seed = config.seed;
  return params;
}

engine::SchedulerLimits engine_limits(const GrpoConfig& config, const nn::Decoder& decoder) {
  return {.max_step_tokens = config.rollout.max_step_tokens,
          .max_running = config.rollout.max_running,
          .max_sequence_tokens = decoder.config().max_positions,
          .kv_blocks = runner::kv_blocks_for(decoder, config.rollout.kv_bytes)};
}

std::vector<double> total_rewards(std::span<const RolloutGroup> groups) {
  std::vector<double> rewards;
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) rewards.push_back(completion.scores.total);
  }
  return rewards;
}

}  // namespace

GrpoTrainer::GrpoTrainer(const GrpoConfig& config)
    : config_(config), files_(train::ModelFiles::load(config.model.path)) {
  const auto options = train::load_options(config.model);
  const auto checkpoint = train::find_checkpoint(config.output);
  std::optional<train::TrainState> state;
  if (checkpoint) state = train::read_checkpoint(*checkpoint);
  model_ = models::Model::load(checkpoint.value_or(config.model.path), options);
  if (config.loss.kl.coef != 0) reference_ = models::Model::load(config.model.path, options);
  model_->weights().start_training();
  optimizer_ = std::make_unique<train::AdamW>(config.optim, model_->weights());
  prompts_ = std::make_unique<PromptSource>(
      config.data,
      PromptEncoder{files_.tokenizer, files_.chat_template, files_.template_variables});
  order_ = std::make_unique<data::DataOrder>(prompts_->identity(), config.seed);
  if (state) {
    train::load_optimizer(*checkpoint, *optimizer_, model_->weights());
    order_->restore(state->trainer.at("order"));
    first_step_ = state->next_step;
    const auto before = state->trainer.find("before");
    if (before != state->trainer.end()) {
      before_ = Evaluation{before->at("sampled").get<double>(), before->at("greedy").get<double>()};
    }
    log::info("resuming at step {} from {}", first_step_, checkpoint->string());
  }
  rewards_ = std::make_unique<reward::RewardSet>(config.reward.functions);
  const auto& decoder = model_->decoder();
  engine_ =
      std::make_unique<runner::Engine>(decoder, model_->weights(), engine_limits(config, decoder));
  sampling_ = sampling_params(config, files_);
  log_ = std::make_unique<MetricsWriter>(config.output, first_step_ - 1);
}

GrpoTrainer::~GrpoTrainer() = default;

std::vector<RolloutGroup> GrpoTrainer::roll_out(int64_t step) {
  std::vector<const RolloutPrompt*> prompts;
  for (int64_t item : order_->next_batch(config_.rollout.prompts_per_step)) {
    prompts.push_back(&prompts_->train()[item]);
  }
  return generate(
      *engine_, files_.tokenizer, prompts,
      {.samples = config_.rollout.n, .params = sampling_, .step = static_cast<uint32_t>(step)});
}

void GrpoTrainer::update_mini_batch(std::span<const RolloutGroup> groups,
                                    std::span<const double> advantages, double lr,
                                    StepTotals& totals) {
  std::vector<int64_t> lengths;
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) {
      const bool left_out = config_.loss.mask_truncated && completion.truncated();
      lengths.push_back(left_out ? 0 : static_cast<int64_t>(completion.tokens.size()));
    }
  }
  const int64_t norm_length =
      config_.loss.norm_length > 0 ? config_.loss.norm_length : config_.rollout.max_response_length;
  const auto weights = aggregation_weights(config_.loss.agg, lengths, norm_length);
  const auto epoch = static_cast<uint64_t>(model_->weights().epoch());
  for (const auto& batch : pack_groups(groups, {advantages, weights}, epoch,
                                       config_.train.max_tokens_per_micro_batch)) {
    accumulate(*model_, reference_.get(), batch, config_, totals);
  }
  totals.grad_norm += optimizer_->step(lr);
  ++totals.optimizer_steps;
}

StepTotals GrpoTrainer::update(std::span<const RolloutGroup> groups, double lr) {
  const std::vector<int64_t> sizes(groups.size(), config_.rollout.n);
  const auto advantages = group_advantages(total_rewards(groups), sizes, config_.algorithm.adv_std,
                                           config_.algorithm.adv_eps);
  const auto n = static_cast<size_t>(config_.rollout.n);
  const size_t size = config_.update.mini_batch_size > 0
                          ? static_cast<size_t>(config_.update.mini_batch_size) / n
                          : groups.size();
  StepTotals totals;
  for (int64_t pass = 0; pass < config_.update.epochs_per_batch; ++pass) {
    for (size_t begin = 0; begin < groups.size(); begin += size) {
      const size_t count = std::min(size, groups.size() - begin);
      update_mini_batch(groups.subspan(begin, count),
                        std::span(advantages).subspan(begin * n, count * n), lr, totals);
    }
  }
  return totals;
}

Evaluation GrpoTrainer::evaluate_held_out(int64_t step) {
  return evaluate(*engine_, files_.tokenizer, *rewards_, prompts_->held_out(), config_, sampling_,
                  static_cast<uint32_t>(step));
}

void GrpoTrainer::save_checkpoint(int64_t next_step) {
  Json trainer = {{"order", order_->state()}};
  if (before_) trainer["before"] = {{"sampled", before_->sampled}, {"greedy", before_->greedy}};
  train::save_checkpoint(config_.output, *model_, files_, *optimizer_, {next_step, trainer},
                         config_.checkpoint.keep);
}

void GrpoTrainer::step(int64_t step, GrpoResult& result) {
  PhaseClock clock;
  auto groups = roll_out(step);
  clock.end_phase("generate");
  score(*rewards_, groups);
  clock.end_phase("reward");
  const double lr =
      config_.optim.lr * train::schedule_factor(config_.schedule, step, config_.train.steps);
  const StepTotals totals = update(groups, lr);
  clock.end_phase("update");
  if (totals.mismatch_max != 0) {
    fail(
        "step {}: the trainer's log-probability differs from the engine's by {} on the same "
        "weights; this breaks law 2 and is a bug of Hone",
        step, totals.mismatch_max);
  }
  StepReport report(rewards_->names(), groups, totals, lr, clock);
  const bool last = step + 1 == config_.train.steps;
  const bool due = config_.eval.every > 0 && (step + 1) % config_.eval.every == 0;
  if (!prompts_->held_out().empty() && (due || last)) {
    result.after = evaluate_held_out(step + 1);
    report.add_evaluation(*result.after);
  }
  log_->write(step, report.metrics());
  log_->write_samples(step, report.samples());
  log::info("step {:4}  {}", step, report.line());
  result.rewards.push_back(report.mean_reward());
  result.mismatch_max = std::max(result.mismatch_max, totals.mismatch_max);
}

GrpoResult GrpoTrainer::run() {
  GrpoResult result;
  const PhaseClock clock;
  if (!prompts_->held_out().empty() && config_.eval.before && !before_) {
    before_ = evaluate_held_out(0);
    log::info("before: {}", evaluation_line(*before_));
  }
  result.before = before_;
  for (int64_t s = first_step_; s < config_.train.steps && !result.stopped; ++s) {
    step(s, result);
    const bool due = config_.checkpoint.every > 0 && (s + 1) % config_.checkpoint.every == 0;
    const bool last = s + 1 == config_.train.steps;
    result.stopped = !last && StopSignals::status() != 0;
    if (due || last || result.stopped) save_checkpoint(s + 1);
  }
  if (!result.stopped) train::save_model(*model_, files_, config_.output / "model");
  result.seconds = clock.elapsed_s();
  return result;
}

}  // namespace hone::rl
