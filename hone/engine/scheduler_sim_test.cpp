#include <gtest/gtest.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <map>
#include <optional>

#include "hone/base/rng.h"
#include "hone/engine/scheduler.h"

// Random traces against a model of the KV memory: every slot holds the hash of the prefix that was
// written there, and every computed token must find exactly its own prefix. That proves sharing,
// copying, preemption and the prefix cache right without a tensor.
namespace hone::engine {
namespace {

enum class Fault { none, skip_copies, silent_weights, lost_write };

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xD6E8FEB86659FD93;
  return hash ^ (hash >> 32);
}

/// The KV content at each position of `tokens`: a function of weights, key and prefix alone.
std::vector<uint64_t> contents(const Request& request, std::span<const int32_t> tokens,
                               uint64_t epoch) {
  uint64_t hash = mix(std::hash<std::string>{}(request.cache_key), epoch + 1);
  std::vector<uint64_t> hashes;
  for (const int32_t token : tokens) hashes.push_back(hash = mix(hash, token + 1));
  return hashes;
}

constexpr int32_t kStopToken = 0;

int32_t model_token(uint64_t content, double uniform) {
  const uint64_t bits = mix(content, static_cast<uint64_t>(uniform * 0x1p53));
  return bits % 40 == 0 ? kStopToken : static_cast<int32_t>(1 + (bits >> 8) % 3);
}

class Simulation {
 public:
  Simulation(uint64_t seed, Fault fault) : random_{seed}, fault_(fault) {
    limits_.max_running = 1 + pick(8);
    limits_.max_step_tokens = limits_.max_running + pick(2) * pick(120);
    limits_.kv_blocks = 5 + pick(pick(2) == 0 ? 8 : 60);
    limits_.max_sequence_tokens = 32 * limits_.kv_blocks;
    to_arrive_ = 1 + pick(12);
    turbulence_ = pick(3);
    scheduler_.emplace(limits_);
    memory_.resize(limits_.kv_blocks * kKvBlockTokens, 0);
  }

  /// What went wrong, or "".
  std::string run() {
    for (int64_t step = 0; to_arrive_ > 0 || !scheduler_->idle(); ++step) {
      if (step > 20000) return "a request does not end";
      disturb();
      if (!scheduler_->idle()) run_step();
      check_ledger();
      take_finished();
      if (!failure_.empty()) return failure_ + " at step " + std::to_string(step);
    }
    expect(scheduler_->pool().free_count() == limits_.kv_blocks, "a block leaked");
    expect(to_finish_.empty(), "a sample was not handed over");
    return failure_;
  }

  int64_t preemptions() const { return scheduler_->preemption_count(); }
  int64_t cached_tokens = 0, copies = 0;

 private:
  int64_t pick(int64_t bound) { return static_cast<int64_t>(random_.below(draw_count_++, bound)); }
  void expect(bool condition, const char* what) {
    if (!condition && failure_.empty()) failure_ = what;
  }

  void arrive() {
    Request request;
    const int64_t family = pick(3), most = 32 * limits_.kv_blocks - 61;
    if (!past_.empty() && pick(3) == 0) request.prompt = past_[pick(std::ssize(past_))];
    for (int64_t i = pick(90); i > 0; --i)
      request.prompt.push_back(static_cast<int32_t>(1 + family));
    for (int64_t i = pick(4); i > 0; --i)
      request.prompt.push_back(static_cast<int32_t>(1 + pick(3)));
    request.prompt.push_back(1);
    if (std::ssize(request.prompt) > most) request.prompt.resize(most);
    request.params.max_tokens = static_cast<int32_t>(1 + pick(60));
    request.params.seed = pick(3);
    if (pick(4) > 0) request.params.stop_token_ids = {kStopToken};
    request.samples = pick(2) == 0 ? 1 : 1 + pick(6);
    request.priority = turbulence_ == 2 ? static_cast<int32_t>(pick(3)) : 0;
    request.step = static_cast<uint32_t>(pick(2));
    if (pick(4) == 0) request.cache_key = "adapter";
    const int64_t samples = request.samples;
    last_id_ = scheduler_->add(std::move(request));
    to_finish_[last_id_] = samples;
    --to_arrive_;
  }

  void disturb() {
    if (to_arrive_ > 0 && (scheduler_->idle() || pick(8) == 0)) arrive();
    if (turbulence_ == 0) return;
    if (pick(60) == 0) scheduler_->cancel(1 + pick(last_id_ + 1));
    if (pick(100) == 0 && !scheduler_->running().empty()) {
      scheduler_->finish(**scheduler_->running().rbegin(), FinishReason::stop_string);
    }
    if (pick(40) == 0) {
      ++epoch_;
      if (fault_ != Fault::silent_weights) scheduler_->set_epoch(epoch_);
    }
  }

  void run_step() {
    const Sequence* first =
        scheduler_->running().empty() ? nullptr : *scheduler_->running().begin();
    const ScheduledStep step = scheduler_->schedule();
    for (const BlockCopy& copy : step.copies) {
      if (fault_ == Fault::skip_copies) continue;
      std::copy_n(memory_.begin() + copy.source * kKvBlockTokens, kKvBlockTokens,
                  memory_.begin() + copy.destination * kKvBlockTokens);
    }
    copies += std::ssize(step.copies);
    int64_t token_count = 0;
    bool first_runs = first == nullptr;
    for (const Run& run : step.runs) {
      token_count += run.token_count;
      first_runs |= run.sequence == first;
      write(run);
    }
    expect(!step.empty(), "nothing runs");
    expect(first_runs, "the first sequence does not advance");
    expect(token_count <= limits_.max_step_tokens, "the token budget is exceeded");
    expect(std::ssize(step.runs) <= limits_.max_running, "too many sequences run");
    if (!failure_.empty()) return;
    for (const Run& run : step.runs) check_reads(run);
    scheduler_->on_step_done(draw(step));
  }

  uint64_t& slot(const Sequence& sequence, int64_t position) {
    const int32_t block = sequence.blocks[position / kKvBlockTokens];
    return memory_[block * kKvBlockTokens + position % kKvBlockTokens];
  }

  void write(const Run& run) {
    const Sequence& sequence = *run.sequence;
    const int64_t end = run.first_position + run.token_count;
    expect(run.token_count > 0 && run.first_position == sequence.computed_count, "a gap in a run");
    expect(std::ssize(sequence.blocks) >= blocks_for(end), "a run without a block");
    if (!failure_.empty()) return;
    const auto hashes = contents(*sequence.request, sequence.token_ids, epoch_);
    if (run.first_position == sequence.cached_count) cached_tokens += sequence.cached_count;
    for (int64_t i = 0; i < run.token_count; ++i) {
      const int32_t block = sequence.blocks[(run.first_position + i) / kKvBlockTokens];
      expect(scheduler_->pool().use_count(block) == 1, "a write into a shared block");
      if (fault_ == Fault::lost_write && pick(500) == 0) continue;
      slot(sequence, run.first_position + i) = hashes[run.first_position + i];
    }
  }

  void check_reads(const Run& run) {
    const Sequence& sequence = *run.sequence;
    const auto hashes = contents(*sequence.request, sequence.token_ids, epoch_);
    for (int64_t i = 0; i < run.first_position + run.token_count; ++i) {
      expect(slot(sequence, i) == hashes[i], "a token read what is not its prefix");
    }
  }

  std::vector<Sample> draw(const ScheduledStep& step) {
    std::vector<Sample> samples;
    for (const Draw& draw : step.draws) {
      const Run& run = step.runs[draw.run];
      const int64_t last = run.first_position + run.token_count - 1;
      expect(last + 1 == draw.sequence->token_count(), "a draw before the last token");
      const int32_t token = model_token(slot(*run.sequence, last), draw.sequence->uniform());
      samples.push_back({.token = turbulence_ == 1 && pick(300) == 0 ? kNoToken : token});
    }
    return samples;
  }

  void check_ledger() {
    std::vector<int64_t> uses(limits_.kv_blocks, 0);
    for (const Sequence* sequence : scheduler_->running()) {
      for (const int32_t block : sequence->blocks) ++uses[block];
    }
    int64_t free_count = 0;
    for (int32_t block = 0; block < limits_.kv_blocks; ++block) {
      free_count += uses[block] == 0;
      expect(uses[block] == scheduler_->pool().use_count(block), "uses differ from the tables");
    }
    expect(free_count == scheduler_->pool().free_count(), "free blocks are miscounted");
    for (const Sequence* sequence : scheduler_->waiting()) {
      expect(sequence->blocks.empty() && sequence->computed_count == 0,
             "a waiting sequence holds blocks");
    }
  }

  /// Each output must be that of the sequence alone, without batch, cache or preemption.
  void take_finished() {
    for (const auto& sequence : scheduler_->take_finished()) {
      expect(sequence->blocks.empty(), "a finished sequence holds blocks");
      const Request& request = *sequence->request;
      Sequence alone;
      alone.request = sequence->request;
      alone.sample_index = sequence->sample_index;
      alone.token_ids = request.prompt;
      for (int64_t i = 0; i < sequence->output_count(); ++i) {
        const auto content = contents(request, alone.token_ids, sequence->epochs[i]).back();
        alone.token_ids.push_back(model_token(content, alone.uniform()));
        const bool stops =
            alone.token_ids.back() == kStopToken && !request.params.stop_token_ids.empty();
        const bool is_last = i + 1 == sequence->output_count();
        expect(!stops || is_last, "a sequence went on after its stop token");
        expect(!stops || sequence->finish_reason == FinishReason::stop_token, "wrong reason");
      }
      expect(alone.token_ids == sequence->token_ids, "the tokens differ from those made alone");
      expect((sequence->finish_reason == FinishReason::length) <=
                 (sequence->output_count() == request.params.max_tokens),
             "ended before max_tokens");
      past_.push_back(sequence->token_ids);
      if (--to_finish_[sequence->request_id] == 0) to_finish_.erase(sequence->request_id);
    }
  }

  RandomStream random_;
  uint64_t draw_count_ = 0;
  Fault fault_;
  SchedulerLimits limits_;
  std::optional<Scheduler> scheduler_;
  std::vector<uint64_t> memory_;
  uint64_t epoch_ = 0, last_id_ = 0;
  int64_t to_arrive_ = 0, turbulence_ = 0;
  std::map<uint64_t, int64_t> to_finish_;
  std::vector<std::vector<int32_t>> past_;
  std::string failure_;
};

/// Names the trace when one of Hone's own assertions ends the process.
uint64_t current_seed = 0;
void print_seed(int) {
  std::fprintf(stderr, "seed %" PRIu64 "\n", current_seed);
}

}  // namespace

TEST(SchedulerSim, RandomTracesGiveWhatEachSequenceGivesAlone) {
  std::signal(SIGABRT, print_seed);
  int64_t preemptions = 0, cached_tokens = 0, copies = 0;
  for (uint64_t seed = 0; seed < 10000; ++seed) {
    current_seed = seed;
    Simulation simulation(seed, Fault::none);
    ASSERT_EQ(simulation.run(), "") << "seed " << seed;
    preemptions += simulation.preemptions();
    cached_tokens += simulation.cached_tokens;
    copies += simulation.copies;
  }
  RecordProperty("preemptions", static_cast<int>(preemptions));
  RecordProperty("cached_tokens", static_cast<int>(cached_tokens));
  RecordProperty("copies", static_cast<int>(copies));
  EXPECT_GT(preemptions, 2500);
  EXPECT_GT(cached_tokens, 100000);
  EXPECT_GT(copies, 5000);
}

TEST(SchedulerSim, FaultsAreCaught) {
  for (const Fault fault : {Fault::skip_copies, Fault::silent_weights, Fault::lost_write}) {
    int64_t caught = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) caught += !Simulation(seed, fault).run().empty();
    EXPECT_GT(caught, 30) << "fault " << static_cast<int>(fault);
  }
}

}  // namespace hone::engine
