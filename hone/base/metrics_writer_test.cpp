#include "hone/base/metrics_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace hone {
namespace {

/// An empty folder for one test.
Path fresh_folder() {
  const Path folder = Path(testing::TempDir()) / fmt::format("hone_metrics_{}", ::getpid());
  std::filesystem::remove_all(folder);
  return folder;
}

void write_steps(const Path& folder, int64_t last_step, int64_t end) {
  MetricsWriter writer(folder, last_step, false);
  for (int64_t step = last_step + 1; step < end; ++step) {
    writer.write_samples(step, std::vector<LoggedSample>{{"2 + 3?", "5\n", 0.5, {{"answer", "5"}}},
                                                         {"ä", "\xff", 0, Json::object()}});
    writer.write(step, {{"loss", 1.0 / (step + 1)}, {"reward", {{"mean", 0.25}}}});
  }
}

void append_to(const Path& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

}  // namespace

TEST(MetricsWriter, AResumedLogEqualsAnUninterruptedOne) {
  const Path folder = fresh_folder();
  write_steps(folder / "whole", -1, 9);
  write_steps(folder / "resumed", -1, 7);
  append_to(folder / "resumed/metrics.jsonl", "{\"step\": 7, \"lo");
  append_to(folder / "resumed/samples.jsonl", "{\"step\": 7}");
  write_steps(folder / "resumed", 4, 9);
  for (const char* name : {"metrics.jsonl", "samples.jsonl", "samples.txt"}) {
    EXPECT_EQ(read_file(folder / "resumed" / name), read_file(folder / "whole" / name)) << name;
  }
  const auto lines = read_step_log(folder / "whole/metrics.jsonl");
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[3].dump(), R"({"step":3,"loss":0.25,"reward":{"mean":0.25}})");
}

TEST(MetricsWriter, SamplesAreReadable) {
  const Path folder = fresh_folder();
  write_steps(folder, -1, 1);
  const std::string text = read_file(folder / "samples.txt");
  EXPECT_TRUE(
      text.starts_with("=== step 0 | reward 0.5 | answer \"5\"\n--- prompt\n2 + 3?\n"
                       "--- completion\n5\n\n\n=== step 0 | reward 0"))
      << text;
}

TEST(StepLog, ANewRunForgetsTheOldOne) {
  const Path path = fresh_folder() / "log.jsonl";
  StepLog(path, -1).append(5, {{"a", 1}});
  StepLog(path, -1).append(0, {{"a", 2}});
  EXPECT_EQ(read_file(path), "{\"step\":0,\"a\":2}\n");
}

TEST(StepLog, DamagedLinesAreCutOff) {
  const Path path = fresh_folder() / "log.jsonl";
  write_file(path, "{\"step\":0}\n{\"step\":1}\nnot json\n{\"step\":2}\n");
  EXPECT_EQ(read_step_log(path).size(), 2u);
  StepLog(path, 9).append(2, Json::object());
  EXPECT_EQ(read_file(path), "{\"step\":0}\n{\"step\":1}\n{\"step\":2}\n");
}

TEST(MetricsWriter, TensorBoardGetsAnEventFilePerStart) {
  const Path folder = fresh_folder();
  for (int64_t last_step : {-1, 3}) {
    MetricsWriter writer(folder, last_step);
    writer.write(last_step + 1, {{"loss", 0.5}, {"reward", {{"mean", 0.25}}}, {"note", "text"}});
    writer.write_samples(last_step + 1, std::vector<LoggedSample>{{"p", "c", 1, Json::object()}});
  }
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tensorboard")) {
    const std::string bytes = read_file(entry.path());
    for (const char* word : {"brain.Event:2", "loss", "reward/mean", "sample"}) {
      EXPECT_NE(bytes.find(word), std::string::npos) << word;
    }
    ++count;
  }
  EXPECT_EQ(count, 2);
}

}  // namespace hone
