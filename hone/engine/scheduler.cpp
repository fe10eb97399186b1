#include "hone/engine/scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "hone/base/check.h"

namespace hone::engine {

static int64_t pending_count(const Sequence& sequence) {
  return sequence.token_count() - sequence.computed_count;
}

bool Scheduler::InOrder::operator()(const Sequence* a, const Sequence* b) const {
  return std::tuple(a->request->priority, a->request_id, a->sample_index) <
         std::tuple(b->request->priority, b->request_id, b->sample_index);
}

void SchedulerLimits::check() const {
  HONE_CHECK(
      max_running >= 1 && kv_blocks >= 1 && max_sequence_tokens >= 1,
      "scheduler: max_running, kv_blocks and max_sequence_tokens must be at least 1, got {}, "
      "{} and {}",
      max_running, kv_blocks, max_sequence_tokens);
  HONE_CHECK(max_step_tokens >= max_running,
             "scheduler: max_step_tokens must be at least max_running = {}, so that every running "
             "sequence gets a token in every step; got {}",
             max_running, max_step_tokens);
}

/// Checked before a pool is made of them.
static const SchedulerLimits& checked(const SchedulerLimits& limits) {
  limits.check();
  return limits;
}

Scheduler::Scheduler(const SchedulerLimits& limits)
    : limits_(checked(limits)), pool_(limits.kv_blocks) {}

uint64_t Scheduler::add(Request request) {
  request.params.check();
  HONE_CHECK(!request.prompt.empty(), "request: the prompt must have at least one token");
  HONE_CHECK(request.samples >= 1, "request: samples must be at least 1, got {}", request.samples);
  const int64_t prompt_count = std::ssize(request.prompt);
  const int64_t longest = prompt_count + request.params.max_tokens;
  HONE_CHECK(longest <= limits_.max_sequence_tokens,
             "request: a prompt of {} tokens and max_tokens = {} make {}, but a sequence may have "
             "{} (max_sequence_tokens); shorten the prompt or lower max_tokens",
             prompt_count, request.params.max_tokens, longest, limits_.max_sequence_tokens);
  // The last token drawn needs no place: nothing is computed from it.
  HONE_CHECK(blocks_for(longest - 1) <= limits_.kv_blocks,
             "request: a prompt of {} tokens and max_tokens = {} need {} KV blocks, but there are "
             "{} in all (kv_blocks); shorten the prompt, lower max_tokens or give the cache more "
             "memory",
             prompt_count, request.params.max_tokens, blocks_for(longest - 1), limits_.kv_blocks);
  const auto shared = std::make_shared<const Request>(std::move(request));
  auto& sequences = requests_[++request_count_];
  for (int64_t i = 0; i < shared->samples; ++i) {
    sequences.push_back(std::make_unique<Sequence>());
    Sequence& sequence = *sequences.back();
    sequence.request_id = request_count_;
    sequence.sample_index = i;
    sequence.request = shared;
    sequence.token_ids = shared->prompt;
    sequence.prompt_count = prompt_count;
    if (i > 0) sequences.front()->followers.push_back(&sequence);
  }
  waiting_.insert(sequences.front().get());
  return request_count_;
}

void Scheduler::cancel(uint64_t request_id) {
  const auto entry = requests_.find(request_id);
  if (entry == requests_.end()) return;
  std::vector<Sequence*> sequences;
  for (const auto& sequence : entry->second) sequences.push_back(sequence.get());
  for (Sequence* sequence : sequences) {
    if (sequence->finish_reason == FinishReason::none) finish(*sequence, FinishReason::cancelled);
  }
}

void Scheduler::finish(Sequence& sequence, FinishReason reason) {
  HONE_ASSERT(step_.empty(), "a sequence is ended while a step is in flight");
  HONE_ASSERT(sequence.finish_reason == FinishReason::none, "a sequence is ended twice");
  for (Sequence* follower : std::exchange(sequence.followers, {})) finish(*follower, reason);
  sequence.finish_reason = reason;
  retire(sequence);
}

void Scheduler::retire(Sequence& sequence) {
  running_.erase(&sequence);
  waiting_.erase(&sequence);
  pool_.release(sequence.blocks);
  const auto entry = requests_.find(sequence.request_id);
  auto& sequences = entry->second;
  const auto at = std::ranges::find(sequences, &sequence, &std::unique_ptr<Sequence>::get);
  finished_.push_back(std::move(*at));
  sequences.erase(at);
  if (sequences.empty()) requests_.erase(entry);
}

ScheduledStep Scheduler::schedule() {
  HONE_ASSERT(step_.empty(), "schedule() while a step is in flight");
  step_.copies = std::exchange(copies_, {});
  room_ = limits_.max_step_tokens;
  schedule_decodes();
  schedule_prompts();
  admit_waiting();
  HONE_ASSERT(!step_.empty() || idle(), "nothing can run: {} running, {} waiting, {} blocks free",
              running_.size(), waiting_.size(), pool_.free_count());
  return step_;
}

void Scheduler::schedule_decodes() {
  for (auto at = running_.begin(); at != running_.end(); ++at) {
    Sequence& sequence = **at;
    if (pending_count(sequence) != 1) continue;
    while (!reserve(sequence)) {
      Sequence& last = **running_.rbegin();
      preempt(last);
      ++preemption_count_;
      if (&last == &sequence) return;
    }
    add_run(sequence);
  }
}

void Scheduler::schedule_prompts() {
  for (Sequence* sequence : running_) {
    if (pending_count(*sequence) > 1 && room_ > 0) add_run(*sequence);
  }
}

void Scheduler::admit_waiting() {
  while (!waiting_.empty() && room_ > 0 && std::ssize(running_) < limits_.max_running) {
    Sequence& sequence = **waiting_.begin();
    if (!admit(sequence)) return;
    add_run(sequence);
  }
}

bool Scheduler::reserve(Sequence& sequence) {
  return pool_.allocate(blocks_for(sequence.token_count()) - std::ssize(sequence.blocks),
                        sequence.blocks);
}

bool Scheduler::admit(Sequence& sequence) {
  pool_.share(pool_.find_prefix(sequence.token_ids, sequence.request->cache_key), sequence.blocks);
  const int64_t cached = std::ssize(sequence.blocks);
  // Every running sequence may soon grow into one more block: entering on the last free blocks
  // would only bring a preemption.
  const int64_t spare =
      running_.empty() ? 0 : std::ssize(running_) + std::ssize(sequence.followers);
  const int64_t needed = blocks_for(sequence.token_count()) - cached;
  if (pool_.free_count() < needed + spare || !reserve(sequence)) {
    pool_.release(sequence.blocks);
    return false;
  }
  sequence.computed_count = sequence.cached_count = cached * kKvBlockTokens;
  waiting_.erase(&sequence);
  running_.insert(&sequence);
  return true;
}

void Scheduler::add_run(Sequence& sequence) {
  const int64_t count = std::min(pending_count(sequence), room_);
  room_ -= count;
  step_.runs.push_back({&sequence, sequence.computed_count, count});
  if (count < pending_count(sequence)) return;
  const int64_t run = std::ssize(step_.runs) - 1;
  step_.draws.push_back({&sequence, run});
  for (Sequence* follower : sequence.followers) step_.draws.push_back({follower, run});
}

void Scheduler::preempt(Sequence& sequence) {
  pool_.release(sequence.blocks);
  sequence.computed_count = 0;
  running_.erase(&sequence);
  waiting_.insert(&sequence);
}

void Scheduler::on_step_done(std::span<const Sample> samples) {
  const ScheduledStep step = std::exchange(step_, {});
  HONE_ASSERT(samples.size() == step.draws.size(), "{} samples for {} draws", samples.size(),
              step.draws.size());
  for (const Run& run : step.runs) {
    run.sequence->computed_count += run.token_count;
    publish_blocks(run);
  }
  for (size_t i = 0; i < samples.size(); ++i) append_sample(*step.draws[i].sequence, samples[i]);
  // Followers take over blocks of their leader before it may give them back.
  for (const Draw& draw : step.draws) {
    Sequence& leader = *step.runs[draw.run].sequence;
    if (draw.sequence == &leader)
      leader.followers.clear();
    else if (draw.sequence->finish_reason == FinishReason::none) {
      start_follower(leader, *draw.sequence);
    }
  }
  for (const Draw& draw : step.draws) {
    if (draw.sequence->finish_reason != FinishReason::none) retire(*draw.sequence);
  }
}

void Scheduler::publish_blocks(const Run& run) {
  const Sequence& sequence = *run.sequence;
  const int64_t full_count = sequence.computed_count / kKvBlockTokens;
  for (int64_t index = run.first_position / kKvBlockTokens; index < full_count; ++index) {
    pool_.publish(sequence.blocks, index, sequence.token_ids, sequence.request->cache_key);
  }
}

void Scheduler::append_sample(Sequence& sequence, const Sample& sample) {
  if (sample.token == kNoToken) {
    sequence.finish_reason = FinishReason::failed;
    return;
  }
  sequence.token_ids.push_back(sample.token);
  sequence.log_probs.push_back(sample.log_prob);
  sequence.raw_log_probs.push_back(sample.raw_log_prob);
  sequence.epochs.push_back(pool_.epoch());
  if (std::ranges::count(sequence.params().stop_token_ids, sample.token) > 0) {
    sequence.finish_reason = FinishReason::stop_token;
  } else if (sequence.output_count() >= sequence.params().max_tokens) {
    sequence.finish_reason = FinishReason::length;
  }
}

void Scheduler::start_follower(Sequence& leader, Sequence& follower) {
  const int64_t full_count = leader.prompt_count / kKvBlockTokens;
  const bool has_tail = leader.prompt_count % kKvBlockTokens != 0;
  if (std::ssize(running_) >= limits_.max_running || pool_.free_count() < has_tail) {
    waiting_.insert(&follower);
    return;
  }
  pool_.share(std::span(leader.blocks).first(full_count), follower.blocks);
  if (has_tail && pool_.allocate(1, follower.blocks)) {
    copies_.push_back({leader.blocks[full_count], follower.blocks.back()});
  }
  follower.computed_count = leader.prompt_count;
  running_.insert(&follower);
}

void Scheduler::set_epoch(uint64_t epoch) {
  HONE_ASSERT(step_.empty(), "new weights while a step is in flight");
  if (epoch == pool_.epoch()) return;
  while (!running_.empty()) preempt(**running_.begin());
  copies_.clear();
  pool_.set_epoch(epoch);
}

std::vector<std::unique_ptr<Sequence>> Scheduler::take_finished() {
  return std::exchange(finished_, {});
}

}  // namespace hone::engine
