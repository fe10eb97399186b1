#pragma once

#include <functional>

#include "hone/base/append_file.h"
#include "hone/base/json.h"

namespace hone {

/// A JSON-lines file whose objects have an integer `step`. Each line is on disk when append
/// returns.
class StepLog {
 public:
  /// Keeps the lines up to the first one of a step after `last_step` or that is half-written, and
  /// cuts off the rest: a resumed log continues as if it had never been interrupted. -1 starts
  /// anew.
  StepLog(const Path& path, int64_t last_step);

  /// Appends {"step": step, …members of `values`}; the line survives SIGKILL.
  void append(int64_t step, const Json& values);
  /// All lines reach the disk.
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

/// The objects of such a file in order; what is half-written at its end is left out.
std::vector<Json> read_step_log(const Path& path);

}  // namespace hone
