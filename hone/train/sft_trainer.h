#pragma once

#include <memory>
#include <optional>

#include "hone/base/metrics_writer.h"
#include "hone/train/packing.h"
#include "hone/train/sft_data.h"

namespace hone::train {

/// What a finished SFT run says of itself.
struct SftResult {
  std::vector<double> losses;      // of each step of this process
  std::optional<double> held_out;  // mean negative log-likelihood of held-out trained tokens
  double seconds = 0;
  bool stopped = false;  // by a signal, with a checkpoint to go on from; no model is written
};

/// Supervised fine-tuning: the mean of -log p over the trained tokens of each optimizer step's
/// conversations, packed without padding and without seeing each other. The denominator is known
/// before the first backward, so max_tokens_per_micro_batch never changes the loss.
class SftTrainer {
 public:
  /// Loads model and data and, where `config.output` holds a checkpoint, resumes.
  explicit SftTrainer(const SftConfig& config);

  /// Trains to the end or until StopSignals asks for one.
  SftResult run();

 private:
  struct Sums {
    double loss = 0, entropy = 0;
    int64_t tokens = 0;
  };
  std::vector<PackedBatch> pack(std::span<const SftSample* const> samples) const;
  Sums accumulate(const PackedBatch& batch, std::optional<double> denominator) const;
  double step(int64_t step);
  double evaluate() const;
  void save(int64_t next_step) const;

  SftConfig config_;
  ModelFiles files_;
  SftData data_;
  std::unique_ptr<models::Model> model_;
  std::unique_ptr<AdamW> optimizer_;
  std::unique_ptr<data::DataOrder> order_;
  std::unique_ptr<MetricsWriter> log_;
  int64_t first_step_ = 0;
};

}  // namespace hone::train
