#include "hone/base/stop_signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace hone {
namespace {

TEST(StopSignals, FirstSignalAsksSecondEnds) {
  const auto twice = [] {
    const StopSignals signals;
    std::raise(SIGINT);
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(twice(), ::testing::ExitedWithCode(143), "once more stops at once");
  const StopSignals signals;
  EXPECT_EQ(StopSignals::status(), 0);
  std::raise(SIGINT);
  EXPECT_EQ(StopSignals::status(), 130);
}

TEST(StopSignals, LeavesTheProcessAsItWas) {
  { const StopSignals signals; }
  EXPECT_EXIT(std::raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace hone
