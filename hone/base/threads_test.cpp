#include "hone/base/threads.h"

#include <gtest/gtest.h>

namespace hone {

TEST(Threads, EveryIndexRunsOnce) {
  for (int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      for (int round = 0; round < 50; ++round) {
        std::vector<std::atomic<int>> hits(count);
        pool.parallel_for(count, [&](int64_t i) { ++hits[i]; });
        for (auto& hit : hits) ASSERT_EQ(hit, 1);
      }
    }
  }
}

TEST(Threads, WorkersThatSleepWakeUp) {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool.parallel_for(100, [&](int64_t) { ++sum; });
  }
  EXPECT_EQ(sum, 500);
}

}  // namespace hone
