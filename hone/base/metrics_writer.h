#pragma once

#include <optional>
#include <span>
#include <string>

#include "hone/base/event_file.h"
#include "hone/base/step_log.h"

namespace hone {

/// One completion to look at, as the log keeps it.
struct LoggedSample {
  std::string prompt, completion;
  double reward = 0;
  Json details = Json::object();  // further members of its line: answer, parts of the reward …
};

/// The log of a run in one folder: metrics.jsonl and samples.jsonl (one object a line, with
/// `step`), samples.txt (the same to read), tensorboard/ (event files). When a write returns, its
/// lines are on disk.
class MetricsWriter {
 public:
  /// `last_step` is the step of the checkpoint that the run continues from, or -1: what the files
  /// hold of later steps is cut off, so a resumed log equals an uninterrupted one.
  MetricsWriter(const Path& folder, int64_t last_step, bool tensorboard = true);

  /// Writes the metrics of a step: an object of numbers and, as groups, objects of numbers. Other
  /// values go to metrics.jsonl only.
  void write(int64_t step, const Json& metrics);
  /// Writes samples of a step; TensorBoard gets the first one.
  void write_samples(int64_t step, std::span<const LoggedSample> samples);

 private:
  StepLog metrics_, samples_;
  AppendFile readable_;
  std::optional<EventFile> events_;
};

}  // namespace hone
