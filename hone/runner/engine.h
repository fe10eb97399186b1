#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hone/engine/scheduler.h"
#include "hone/nn/decoder.h"

namespace hone::runner {

/// The rollout engine over the very weights that the trainer changes (law 1): a scheduler that
/// knows no tensor, the paged cache, and one step() that schedules, computes and draws.
class Engine {
 public:
  /// `decoder` and `weights` must outlive the engine, which keeps no copy of them. The cache takes
  /// limits.kv_blocks blocks a layer.
  Engine(const nn::Decoder& decoder, const nn::Weights& weights,
         const engine::SchedulerLimits& limits);

  /// Queues a request; an input error where it can never be held.
  uint64_t add(engine::Request request) { return scheduler_.add(std::move(request)); }
  void cancel(uint64_t request_id) { scheduler_.cancel(request_id); }
  /// Ends a sequence for a reason seen in its text.
  void finish(engine::Sequence& sequence, engine::FinishReason reason) {
    scheduler_.finish(sequence, reason);
  }
  bool idle() const { return scheduler_.idle(); }
  const engine::Scheduler& scheduler() const { return scheduler_; }

  /// Called with a sequence each time a token was appended to it.
  using OnToken = std::function<void(engine::Sequence&)>;

  /// One step of the model; gives the sequences that ended. New weights are noticed here: a
  /// running sequence computes its tokens again under them.
  std::vector<std::unique_ptr<engine::Sequence>> step(const OnToken& on_token = {});

  /// Steps until nothing is left.
  std::vector<std::unique_ptr<engine::Sequence>> run(const OnToken& on_token = {});

 private:
  nn::Batch make_batch(const engine::ScheduledStep& step) const;
  void copy_blocks(const std::vector<engine::BlockCopy>& copies);
  std::vector<engine::Sample> draw(const engine::ScheduledStep& step, const at::Tensor& hidden_TD);

  const nn::Decoder& decoder_;
  const nn::Weights& weights_;
  engine::Scheduler scheduler_;
  nn::KvCache cache_;
};

/// The number of blocks that `bytes` of cache hold for all layers of a decoder.
int64_t kv_blocks_for(const nn::Decoder& decoder, int64_t bytes);

}  // namespace hone::runner
