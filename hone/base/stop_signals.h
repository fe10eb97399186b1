#pragma once

namespace hone {

/// While one lives, the first SIGINT or SIGTERM asks for an end at the next good moment and the
/// second ends the process at once, with 128 + its number. At most one lives at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();  // restores what the process did before
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The exit status of an interrupted command, 130 or 143; 0 where nobody has asked for an end.
  static int status();
};

}  // namespace hone
