#include "hone/train/sft_trainer.h"

#include <ATen/ops/full.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cmath>

#include "hone/base/cpu.h"
#include "hone/base/log.h"
#include "hone/base/stop_signals.h"
#include "hone/train/scoring.h"

namespace hone::train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double sum_of(const at::Tensor& values) {
  return values.detach().to(at::kDouble).sum().item<double>();
}

}  // namespace

SftTrainer::SftTrainer(const SftConfig& config)
    : config_(config),
      files_(ModelFiles::load(config.model.path)),
      data_(load_sft_data(config, files_)) {
  const auto checkpoint = find_checkpoint(config.output);
  model_ = models::Model::load(checkpoint.value_or(config.model.path), load_options(config.model));
  model_->weights().start_training();
  optimizer_ = std::make_unique<AdamW>(config.optim, model_->weights());
  order_ = std::make_unique<data::DataOrder>(data_.identity(), config.seed);
  if (checkpoint) {
    const TrainState state = read_checkpoint(*checkpoint);
    load_optimizer(*checkpoint, *optimizer_, model_->weights());
    order_->restore(state.trainer.at("order"));
    first_step_ = state.next_step;
    log::info("resuming at step {} from {}", first_step_, checkpoint->string());
  }
  log_ = std::make_unique<MetricsWriter>(config.output, first_step_ - 1);
}

std::vector<PackedBatch> SftTrainer::pack(std::span<const SftSample* const> samples) const {
  std::vector<PackedBatch> batches;
  Packer packer;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto length = static_cast<int64_t>(samples[i]->tokens.size()) - 1;
    const bool full = packer.token_count() + length > config_.train.max_tokens_per_micro_batch;
    if (packer.token_count() > 0 && full) batches.push_back(packer.take());
    packer.add_leaf(samples[i]->tokens, -1, samples[i]->trained, static_cast<int64_t>(i));
  }
  if (packer.token_count() > 0) batches.push_back(packer.take());
  return batches;
}

SftTrainer::Sums SftTrainer::accumulate(const PackedBatch& batch,
                                        std::optional<double> denominator) const {
  const at::AutoGradMode recording(denominator.has_value());
  const Scores scores = score(*model_, batch, {.recompute = config_.train.recompute});
  if (denominator) {
    const at::Tensor gradient = at::full(scores.log_prob.sizes(), -1 / *denominator,
                                         scores.log_prob.options().requires_grad(false));
    torch::autograd::backward({scores.log_prob}, {gradient});
  }
  return {-sum_of(scores.log_prob), sum_of(scores.entropy), scores.log_prob.size(0)};
}

double SftTrainer::step(int64_t step) {
  const auto start = Clock::now();
  std::vector<const SftSample*> samples;
  int64_t trained = 0;
  for (int64_t item : order_->next_batch(config_.batch_size)) {
    samples.push_back(&data_.train[item]);
    trained += samples.back()->trained_count();
  }
  Sums sums;
  int64_t tokens = 0;
  for (const PackedBatch& batch : pack(samples)) {
    const Sums part = accumulate(batch, static_cast<double>(trained));
    sums.loss += part.loss;
    sums.entropy += part.entropy;
    tokens += static_cast<int64_t>(batch.tokens.size());
  }
  const double lr = config_.optim.lr * schedule_factor(config_.schedule, step, config_.train.steps);
  const double norm = optimizer_->step(lr);
  const double loss = sums.loss / static_cast<double>(trained), seconds = seconds_since(start);
  Json metrics = {{"loss", loss},
                  {"entropy", sums.entropy / static_cast<double>(trained)},
                  {"grad_norm", norm},
                  {"lr", lr},
                  {"tokens", tokens},
                  {"trained_tokens", trained},
                  {"time",
                   {{"step", seconds},
                    {"tokens_per_s", static_cast<double>(tokens) / seconds},
                    {"peak_memory_bytes", peak_memory_bytes()}}}};
  const bool due = config_.eval_every > 0 && (step + 1) % config_.eval_every == 0;
  if (due && !data_.held_out.empty()) metrics["eval"] = {{"loss", evaluate()}};
  log_->write(step, metrics);
  log::info("step {:4}  loss {:.4f}  grad {:.2f}  {:.0f} tok/s  {:.1f} s", step, loss, norm,
            static_cast<double>(tokens) / seconds, seconds);
  return loss;
}

double SftTrainer::evaluate() const {
  std::vector<const SftSample*> samples;
  for (const auto& sample : data_.held_out) samples.push_back(&sample);
  Sums sums;
  for (const PackedBatch& batch : pack(samples)) {
    const Sums part = accumulate(batch, std::nullopt);
    sums.loss += part.loss;
    sums.tokens += part.tokens;
  }
  return sums.loss / static_cast<double>(sums.tokens);
}

void SftTrainer::save(int64_t next_step) const {
  save_checkpoint(config_.output, *model_, files_, *optimizer_,
                  {next_step, {{"order", order_->state()}}}, config_.checkpoint.keep);
}

SftResult SftTrainer::run() {
  const auto start = Clock::now();
  SftResult result;
  for (int64_t s = first_step_; s < config_.train.steps && !result.stopped; ++s) {
    result.losses.push_back(step(s));
    const bool due = config_.checkpoint.every > 0 && (s + 1) % config_.checkpoint.every == 0;
    const bool last = s + 1 == config_.train.steps;
    result.stopped = !last && StopSignals::status() != 0;
    if (due || last || result.stopped) save(s + 1);
  }
  if (!result.stopped) {
    if (!data_.held_out.empty()) result.held_out = evaluate();
    save_model(*model_, files_, config_.output / "model");
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace hone::train
