#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/engine/scheduler.h"

namespace hone::engine {
namespace {

template <typename Action>
void expect_input_error(Action action, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "accepted, but should name " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

Request request(int64_t prompt_count, int32_t max_tokens) {
  Request request;
  request.prompt.assign(prompt_count, 1);
  request.params.max_tokens = max_tokens;
  return request;
}

}  // namespace

TEST(SchedulerError, ARequestThatCanNeverBeHeldIsRefused) {
  Scheduler scheduler({.max_sequence_tokens = 100, .kv_blocks = 2});
  expect_input_error([&] { scheduler.add(request(50, 51)); }, "max_sequence_tokens");
  expect_input_error([&] { scheduler.add(request(50, 16)); }, "3 KV blocks");
  EXPECT_TRUE(scheduler.idle());
  scheduler.add(request(50, 15));
  EXPECT_FALSE(scheduler.idle());
}

TEST(SchedulerError, BadRequestsAreRefused) {
  Scheduler scheduler({});
  expect_input_error([&] { scheduler.add(request(0, 5)); }, "at least one token");
  expect_input_error([&] { scheduler.add(request(1, 0)); }, "max_tokens");
  Request none = request(1, 1);
  none.samples = 0;
  expect_input_error([&] { scheduler.add(none); }, "samples");
}

TEST(SchedulerError, BadLimitsAreRefused) {
  expect_input_error([] { Scheduler({.max_running = 0}); }, "max_running");
  expect_input_error([] { Scheduler({.kv_blocks = 0}); }, "kv_blocks");
  expect_input_error([] { Scheduler({.max_step_tokens = 3, .max_running = 4}); },
                     "max_step_tokens");
}

}  // namespace hone::engine
