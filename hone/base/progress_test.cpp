#include "hone/base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

/// A place for output with a clock that the test moves.
struct Recorder {
  double now_s = 0;
  std::string text;
  ProgressOutput output(bool terminal) {
    return {terminal, 60, [this] { return now_s; },
            [this](std::string_view part) { text += part; }};
  }
  int64_t count(char c) const { return std::count(text.begin(), text.end(), c); }
};

}  // namespace

TEST(Progress, DurationsAreShort) {
  EXPECT_EQ(format_duration(0.4), "0s");
  EXPECT_EQ(format_duration(59.6), "1m00s");
  EXPECT_EQ(format_duration(185), "3m05s");
  EXPECT_EQ(format_duration(7620), "2h07m");
  EXPECT_EQ(format_duration(273600), "3d04h");
}

TEST(Progress, ATerminalIsRedrawnAtMostTenTimesASecond) {
  Recorder recorder;
  {
    Progress progress({"train", "steps", 1000}, recorder.output(true));
    for (int i = 1; i <= 1000; ++i) {
      recorder.now_s = i * 0.0101;
      progress.update(i, "loss 0.5 with a very long note that does not fit");
    }
  }
  EXPECT_GE(recorder.count('\r'), 90);
  EXPECT_LE(recorder.count('\r'), 101);
  EXPECT_EQ(recorder.count('\n'), 1);
  EXPECT_TRUE(recorder.text.ends_with("\n"));
  EXPECT_NE(recorder.text.find("\rtrain  50% |███████▌       | 5"), std::string::npos)
      << recorder.text.substr(recorder.text.size() - 400);
}

TEST(Progress, ElsewhereALinePerPercentOrTenSeconds) {
  Recorder fast;
  {
    Progress progress({"load", "files", 1000}, fast.output(false));
    for (int i = 1; i <= 1000; ++i) {
      fast.now_s = i * 0.001;
      progress.update(i);
    }
  }
  EXPECT_EQ(fast.count('\n'), 100);
  EXPECT_EQ(fast.count('\r'), 0);
  EXPECT_TRUE(fast.text.ends_with("load: 100% 1000/1000 files, 1e+03/s, took 1s\n")) << fast.text;

  Recorder slow;
  {
    Progress progress({"load", "files", 1000000}, slow.output(false));
    for (int i = 1; i <= 60; ++i) {
      slow.now_s = i;
      progress.update(i);
    }
  }
  EXPECT_EQ(slow.count('\n'), 6);
}

TEST(Progress, AResumedRunCountsOnlyItsOwnWorkInTheRate) {
  Recorder recorder;
  Progress progress({"train", "steps", 100, 50}, recorder.output(false));
  recorder.now_s = 10;
  progress.update(60);
  EXPECT_EQ(recorder.text, "train: 60% 60/100 steps, 1/s, 40s left\n");
}

}  // namespace hone
