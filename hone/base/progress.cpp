#include "hone/base/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "hone/base/check.h"

namespace hone {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 10;

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int64_t percent(int64_t done, int64_t total) {
  return total > 0 ? done * 100 / total : 100;
}

/// The first `columns` characters of UTF-8 text.
std::string clipped(const std::string& text, int columns) {
  size_t end = 0;
  for (int used = 0; end < text.size(); ++end) {
    const bool starts = (text[end] & 0xC0) != 0x80;
    if (starts && ++used > columns) break;
  }
  return text.substr(0, end);
}

/// A bar of `width` characters in eighths.
std::string bar(double fraction, int width) {
  static constexpr const char* kPart[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const int eighths = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width * 8);
  std::string text;
  for (int i = 0; i < width; ++i) text += kPart[std::clamp(eighths - 8 * i, 0, 8)];
  return text;
}

}  // namespace

ProgressOutput standard_error() {
  using Clock = std::chrono::steady_clock;
  return {::isatty(STDERR_FILENO) == 1, terminal_width(),
          [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); },
          [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }};
}

std::string format_duration(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m{:02}s", total / 60, total % 60);
  if (total < 86400) return fmt::format("{}h{:02}m", total / 3600, total / 60 % 60);
  return fmt::format("{}d{:02}h", total / 86400, total / 3600 % 24);
}

Progress::Progress(Work work, ProgressOutput output)
    : work_(std::move(work)),
      output_(std::move(output)),
      first_(work_.done),
      shown_(work_.done),
      start_s_(output_.now_s()),
      shown_s_(start_s_) {}

Progress::~Progress() {
  if (dirty_) show();
  if (output_.terminal && shown_ != first_) output_.write("\n");
}

void Progress::update(int64_t done, std::string_view note) {
  work_.done = done;
  note_ = note;
  dirty_ = true;
  const double waited_s = output_.now_s() - shown_s_;
  const bool moved = percent(done, work_.total) > percent(shown_, work_.total);
  if (output_.terminal ? waited_s >= kRedrawSeconds : waited_s >= kLineSeconds || moved) show();
}

std::string Progress::rate_and_rest() const {
  const double elapsed_s = output_.now_s() - start_s_;
  const double rate = elapsed_s > 0 ? static_cast<double>(work_.done - first_) / elapsed_s : 0;
  std::string text = fmt::format("{}/{} {}", work_.done, work_.total, work_.unit);
  if (rate > 0 && work_.done < work_.total) {
    text += fmt::format(", {:.3g}/s, {} left", rate,
                        format_duration(static_cast<double>(work_.total - work_.done) / rate));
  } else if (rate > 0) {
    text += fmt::format(", {:.3g}/s, took {}", rate, format_duration(elapsed_s));
  }
  return note_.empty() ? text : text + ", " + note_;
}

std::string Progress::bar_line() const {
  const double fraction = static_cast<double>(work_.done) / std::max<double>(1, work_.total);
  return fmt::format("{} {:3}% |{}| {}", work_.label, percent(work_.done, work_.total),
                     bar(fraction, std::clamp(output_.width / 4, 5, 30)), rate_and_rest());
}

void Progress::show() {
  if (output_.terminal) {
    output_.write("\r" + clipped(bar_line(), output_.width - 1) + "\x1b[K");
  } else {
    output_.write(fmt::format("{}: {}% {}\n", work_.label, percent(work_.done, work_.total),
                              rate_and_rest()));
  }
  shown_ = work_.done;
  shown_s_ = output_.now_s();
  dirty_ = false;
}

}  // namespace hone
