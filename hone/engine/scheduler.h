#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "hone/engine/blocks.h"
#include "hone/engine/sequence.h"

namespace hone::engine {

/// Limits of the scheduler.
struct SchedulerLimits {
  int64_t max_step_tokens = 2048;
  int64_t max_running = 128;
  int64_t max_sequence_tokens = 32768;
  int64_t kv_blocks = 4096;

  static void fields(auto&& self, auto&& visit) {
    visit("max_step_tokens", self.max_step_tokens,
          "Tokens computed in one step; longer prompts take several.");
    visit("max_running", self.max_running, "Sequences computed in one step.");
    visit("max_sequence_tokens", self.max_sequence_tokens,
          "Tokens of prompt and output of one sequence.");
    visit("kv_blocks", self.kv_blocks, "Blocks of 32 tokens in the key-value cache.");
  }

  /// Throws an input error that names what does not hold.
  void check() const;
};

/// Compute the tokens [first_position, first_position + token_count) of `sequence`.
struct Run {
  Sequence* sequence = nullptr;
  int64_t first_position = 0;
  int64_t token_count = 0;
};

/// Draw the next token of `sequence` from the logits of the last token of runs[run]. Several
/// samples of one prompt draw their first token from the same row.
struct Draw {
  Sequence* sequence = nullptr;
  int64_t run = 0;
};

/// Copy all layers of block `source` to `destination`.
struct BlockCopy {
  int32_t source = 0, destination = 0;
};

/// One step of the model: do `copies` (in any order), compute `runs` (all keys and values are
/// written before any is read), then `draws`.
struct ScheduledStep {
  std::vector<BlockCopy> copies;
  std::vector<Run> runs;
  std::vector<Draw> draws;
  bool empty() const { return runs.empty(); }
};

/// Continuous batching with chunked prompts over one BlockPool. Pure: no clock, no thread, no
/// randomness; the same calls give the same steps. Sequences are ordered by (priority, arrival,
/// sample). The first of them is never preempted, so every request ends.
/// Decoding sequences run first, each with one token, then prompts share what is left of the
/// budget, then waiting sequences enter, if they have room for all their tokens. When blocks run
/// out, the last running sequence gives back its blocks and later computes its tokens again.
class Scheduler {
 public:
  struct InOrder {
    bool operator()(const Sequence* a, const Sequence* b) const;
  };
  using Queue = std::set<Sequence*, InOrder>;

  explicit Scheduler(const SchedulerLimits& limits);

  /// Queues a request and gives its id. Throws an input error if it can never be held.
  uint64_t add(Request request);

  /// Ends every unfinished sample of a request; ids that are unknown or finished do nothing.
  void cancel(uint64_t request_id);

  /// Ends an unfinished sequence, and its followers, for a reason seen outside, e.g. stop_string.
  void finish(Sequence& sequence, FinishReason reason);

  /// The next step; empty only if nothing is unfinished. A sequence lives until take_finished
  /// hands it over.
  ScheduledStep schedule();

  /// Takes the results of the step: one sample per draw. A sample of kNoToken fails its sequence.
  void on_step_done(std::span<const Sample> samples);

  /// Declares new weights, between steps: cached blocks are dropped and running sequences compute
  /// their tokens again, so that the next token is a function of the new weights alone (law 2).
  void set_epoch(uint64_t epoch);

  /// Hands over the sequences that ended since the last call.
  std::vector<std::unique_ptr<Sequence>> take_finished();

  /// Sequences that hold blocks, and those that wait for them; unstarted followers are in neither.
  const Queue& running() const { return running_; }
  const Queue& waiting() const { return waiting_; }
  int64_t preemption_count() const { return preemption_count_; }
  bool idle() const { return requests_.empty(); }  // nothing is unfinished
  const BlockPool& pool() const { return pool_; }

 private:
  void schedule_decodes();
  void schedule_prompts();
  void admit_waiting();
  [[nodiscard]] bool reserve(Sequence& sequence);
  [[nodiscard]] bool admit(Sequence& sequence);
  void add_run(Sequence& sequence);
  void preempt(Sequence& sequence);
  void publish_blocks(const Run& run);
  void append_sample(Sequence& sequence, const Sample& sample);
  void start_follower(Sequence& leader, Sequence& follower);
  void retire(Sequence& sequence);

  SchedulerLimits limits_;
  BlockPool pool_;
  uint64_t request_count_ = 0;
  int64_t preemption_count_ = 0;
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<Sequence>>> requests_;
  Queue running_, waiting_;
  std::vector<BlockCopy> copies_;  // for the next step
  ScheduledStep step_;             // the step in flight; empty between steps
  int64_t room_ = 0;               // tokens that the step being made may still take
  std::vector<std::unique_ptr<Sequence>> finished_;
};

}  // namespace hone::engine
