#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hone {

/// Where progress is shown; tests put a clock and a buffer in place of the terminal.
struct ProgressOutput {
  bool terminal = false;          // redraw one line instead of writing new ones
  int width = 80;                 // columns of the terminal
  std::function<double()> now_s;  // seconds from any start
  std::function<void(std::string_view)> write;
};

/// Standard error: a bar if it is a terminal, plain lines otherwise.
ProgressOutput standard_error();

/// "45s", "3m05s", "2h07m", "3d04h".
std::string format_duration(double seconds);

/// How far a piece of work is, with rate and time left. On a terminal a bar, drawn at most 10 times
/// a second; elsewhere a line whenever 10 seconds have passed or 1 % was done since the last one.
class Progress {
 public:
  /// `total` units of work, of which `done` were finished before, as in a resumed run.
  struct Work {
    std::string label, unit;
    int64_t total = 0;
    int64_t done = 0;
  };
  explicit Progress(Work work, ProgressOutput output = standard_error());
  /// Shows the last state and leaves the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total are finished; `note` stands at the end of the line.
  void update(int64_t done, std::string_view note = "");

 private:
  std::string rate_and_rest() const;
  std::string bar_line() const;
  void show();

  Work work_;
  ProgressOutput output_;
  std::string note_;
  int64_t first_, shown_;
  double start_s_, shown_s_;
  bool dirty_ = false;
};

}  // namespace hone
