#pragma once

#include <memory>

#include "hone/base/metrics_writer.h"
#include "hone/rl/evaluation.h"
#include "hone/rl/policy_step.h"
#include "hone/rl/prompt_source.h"
#include "hone/train/checkpoint.h"

namespace hone::rl {

/// What a finished run says of itself.
struct GrpoResult {
  std::optional<Evaluation> before, after;  // after: the last one
  std::vector<double> rewards;              // mean reward of each step of this process
  double mismatch_max = 0;
  double seconds = 0;    // of this process, evaluations included
  bool stopped = false;  // by a signal, with a checkpoint to go on from; no model is written
};

/// Group relative policy optimization (2402.03300):
///
///   prompts -engine-> groups -rewards-> scores -advantages-> micro-batches -loss-> gradients
///      ^                                                                              |
///      +------------------- the same weights, one epoch later <- AdamW <-------------+
///
/// A step is a function of (weights, optimizer state, seed, step), so a run killed at any moment
/// continues from its last checkpoint bit for bit.
class GrpoTrainer {
 public:
  /// Loads the model and the prompts and, where `config.output` holds a checkpoint, resumes.
  explicit GrpoTrainer(const GrpoConfig& config);
  ~GrpoTrainer();

  /// Trains to the end or until StopSignals asks for one. A mismatch between trainer and engine is
  /// an error.
  GrpoResult run();

 private:
  std::vector<RolloutGroup> roll_out(int64_t step);
  StepTotals update(std::span<const RolloutGroup> groups, double lr);
  void update_mini_batch(std::span<const RolloutGroup> groups, std::span<const double> advantages,
                         double lr, StepTotals& totals);
  void step(int64_t step, GrpoResult& result);
  Evaluation evaluate_held_out(int64_t step);
  void save_checkpoint(int64_t next_step);

  GrpoConfig config_;
  train::ModelFiles files_;
  std::unique_ptr<models::Model> model_, reference_;
  std::unique_ptr<train::AdamW> optimizer_;
  std::unique_ptr<PromptSource> prompts_;
  std::unique_ptr<data::DataOrder> order_;
  std::unique_ptr<reward::RewardSet> rewards_;
  std::unique_ptr<runner::Engine> engine_;
  std::unique_ptr<MetricsWriter> log_;
  engine::SamplingParams sampling_;
  int64_t first_step_ = 0;
  std::optional<Evaluation> before_;  // the evaluation before the run's first step
};

}  // namespace hone::rl
