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

// Workers that come too late for one job must neither touch it nor miss the next.
TEST(Threads, ManySmallJobsOnMoreThreadsThanCores) {
  ThreadPool pool(8);
  for (int64_t round = 0; round < 20000; ++round) {
    std::atomic<int64_t> sum{0};
    const int64_t count = 2 + round % 7;
    pool.parallel_for(count, [&](int64_t i) { sum += i + 1; });
    ASSERT_EQ(sum, count * (count + 1) / 2) << "round " << round;
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
