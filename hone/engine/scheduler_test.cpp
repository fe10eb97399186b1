#include "hone/engine/scheduler.h"

#include <gtest/gtest.h>

namespace hone::engine {
namespace {

Request request(int64_t prompt_count, int32_t max_tokens, int64_t samples = 1) {
  Request request;
  for (int64_t i = 0; i < prompt_count; ++i) request.prompt.push_back(static_cast<int32_t>(i));
  request.params.max_tokens = max_tokens;
  request.params.stop_token_ids = {9999};
  request.samples = samples;
  return request;
}

/// One step in which every draw gives `token`.
ScheduledStep step(Scheduler& scheduler, int32_t token = 5) {
  const ScheduledStep step = scheduler.schedule();
  scheduler.on_step_done(std::vector<Sample>(step.draws.size(), {token, -0.5f, -0.25f}));
  return step;
}

std::vector<std::unique_ptr<Sequence>> run_to_end(Scheduler& scheduler) {
  while (!scheduler.idle()) step(scheduler);
  return scheduler.take_finished();
}

}  // namespace

TEST(Scheduler, ALongPromptIsCutAndDoesNotStallDecoding) {
  Scheduler scheduler({.max_step_tokens = 40, .max_running = 4, .kv_blocks = 32});
  scheduler.add(request(10, 20));
  step(scheduler);
  scheduler.add(request(100, 20));
  std::vector<int64_t> counts;
  for (int i = 0; i < 3; ++i) {
    const ScheduledStep made = step(scheduler);
    ASSERT_EQ(made.runs.size(), 2u);
    EXPECT_EQ(made.runs[0].token_count, 1);
    EXPECT_EQ(made.draws.size(), i == 2 ? 2u : 1u);
    counts.push_back(made.runs[1].token_count);
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{39, 39, 22}));
}

TEST(Scheduler, SamplesOfOnePromptShareItsFullBlocksAndCopyTheTail) {
  Scheduler scheduler({.kv_blocks = 32});
  scheduler.add(request(70, 20, 3));
  const ScheduledStep first = step(scheduler);
  EXPECT_EQ(first.runs.size(), 1u);
  EXPECT_EQ(first.draws.size(), 3u);
  const Sequence& leader = *first.runs[0].sequence;
  const ScheduledStep second = scheduler.schedule();
  ASSERT_EQ(second.copies.size(), 2u);
  ASSERT_EQ(second.runs.size(), 3u);
  EXPECT_EQ(scheduler.pool().use_count(leader.blocks[0]), 3);
  EXPECT_EQ(scheduler.pool().use_count(leader.blocks[2]), 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(second.copies[i].source, leader.blocks[2]);
    EXPECT_EQ(second.copies[i].destination, second.runs[i + 1].sequence->blocks[2]);
    EXPECT_EQ(second.runs[i + 1].first_position, 70);
  }
}

TEST(Scheduler, APromptOfWholeBlocksNeedsNoCopy) {
  Scheduler scheduler({.kv_blocks = 32});
  scheduler.add(request(64, 20, 4));
  step(scheduler);
  EXPECT_TRUE(step(scheduler).copies.empty());
  EXPECT_EQ(run_to_end(scheduler).size(), 4u);
  EXPECT_EQ(scheduler.pool().free_count(), 32);
}

TEST(Scheduler, SamplesWithoutRoomWaitAndComputeAgain) {
  Scheduler scheduler({.max_step_tokens = 64, .max_running = 2, .kv_blocks = 4});
  scheduler.add(request(40, 10, 5));
  const auto finished = run_to_end(scheduler);
  ASSERT_EQ(finished.size(), 5u);
  for (const auto& sequence : finished) EXPECT_EQ(sequence->output_count(), 10);
}

TEST(Scheduler, TheLastComesFirstWhenBlocksRunOut) {
  Scheduler scheduler({.max_step_tokens = 64, .max_running = 2, .kv_blocks = 4});
  scheduler.add(request(30, 60));
  scheduler.add(request(30, 60));
  std::vector<uint64_t> order;
  for (const auto& sequence : run_to_end(scheduler)) {
    order.push_back(sequence->request_id);
    EXPECT_EQ(sequence->output_count(), 60);
  }
  EXPECT_EQ(order, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(scheduler.preemption_count(), 1);
}

TEST(Scheduler, PriorityGoesBeforeArrival) {
  Scheduler scheduler({.max_step_tokens = 64, .max_running = 1, .kv_blocks = 8});
  for (const int32_t priority : {0, 0, -1}) {
    Request one = request(10, 2);
    one.priority = priority;
    scheduler.add(std::move(one));
  }
  std::vector<uint64_t> order;
  for (const auto& sequence : run_to_end(scheduler)) order.push_back(sequence->request_id);
  EXPECT_EQ(order, (std::vector<uint64_t>{3, 1, 2}));
}

TEST(Scheduler, ASecondEqualPromptComputesOnlyItsEnd) {
  Scheduler scheduler({.kv_blocks = 32});
  scheduler.add(request(100, 5));
  run_to_end(scheduler);
  scheduler.add(request(100, 5));
  const ScheduledStep made = step(scheduler);
  EXPECT_EQ(made.runs[0].first_position, 96);
  EXPECT_EQ(made.runs[0].sequence->cached_count, 96);
}

TEST(Scheduler, NewWeightsComputeThePrefixAgainAndMarkTheTokens) {
  Scheduler scheduler({.kv_blocks = 32});
  scheduler.add(request(64, 4));
  step(scheduler);
  step(scheduler);
  scheduler.set_epoch(7);
  const ScheduledStep made = step(scheduler);
  EXPECT_EQ(made.runs[0].first_position, 0);
  EXPECT_EQ(made.runs[0].token_count, 66);
  const auto finished = run_to_end(scheduler);
  EXPECT_EQ(finished[0]->epochs, (std::vector<uint64_t>{0, 0, 7, 7}));
  EXPECT_EQ(scheduler.preemption_count(), 0);
}

TEST(Scheduler, ReasonsToEnd) {
  Scheduler scheduler({.kv_blocks = 32});
  scheduler.add(request(10, 3));
  EXPECT_EQ(run_to_end(scheduler)[0]->finish_reason, FinishReason::length);
  scheduler.add(request(10, 3));
  step(scheduler, 9999);
  const auto stopped = scheduler.take_finished();
  EXPECT_EQ(stopped.at(0)->finish_reason, FinishReason::stop_token);
  EXPECT_EQ(stopped[0]->token_ids.back(), 9999);
  EXPECT_EQ(stopped[0]->log_probs, (std::vector<float>{-0.5f}));
  EXPECT_EQ(stopped[0]->raw_log_probs, (std::vector<float>{-0.25f}));
  scheduler.add(request(10, 3));
  step(scheduler, kNoToken);
  const auto failed = scheduler.take_finished();
  EXPECT_EQ(failed.at(0)->finish_reason, FinishReason::failed);
  EXPECT_EQ(failed[0]->output_count(), 0);
  EXPECT_EQ(scheduler.pool().free_count(), 32);
}

TEST(Scheduler, CancelEndsEverySampleAndFreesItsBlocks) {
  Scheduler scheduler({.max_running = 2, .kv_blocks = 32});
  const uint64_t unstarted = scheduler.add(request(70, 20, 3));
  scheduler.cancel(unstarted);
  EXPECT_EQ(scheduler.take_finished().size(), 3u);
  const uint64_t started = scheduler.add(request(70, 20, 3));
  step(scheduler);
  scheduler.cancel(started);
  scheduler.cancel(started);
  const auto finished = scheduler.take_finished();
  EXPECT_EQ(finished.size(), 3u);
  EXPECT_EQ(finished[0]->finish_reason, FinishReason::cancelled);
  EXPECT_TRUE(scheduler.idle());
  EXPECT_EQ(scheduler.pool().free_count(), 32);
  EXPECT_TRUE(scheduler.schedule().empty());
}

TEST(Scheduler, TheDrawOfATokenHasItsOwnNumber) {
  const auto shared = std::make_shared<const Request>(request(3, 5, 2));
  Sequence a, b;
  a.request = b.request = shared;
  a.token_ids = b.token_ids = shared->prompt;
  EXPECT_EQ(a.uniform(), b.uniform());
  b.sample_index = 1;
  EXPECT_NE(a.uniform(), b.uniform());
  const double before = a.uniform();
  a.token_ids.push_back(1);
  EXPECT_NE(a.uniform(), before);
}

}  // namespace hone::engine
