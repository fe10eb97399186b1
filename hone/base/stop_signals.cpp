#include "hone/base/stop_signals.h"

#include <csignal>
#include <string_view>

#include <unistd.h>

namespace hone {
namespace {

volatile std::sig_atomic_t asked = 0;
struct sigaction previous_int, previous_term;

void on_signal(int number) {
  if (asked) ::_exit(128 + number);
  asked = 128 + number;
  constexpr std::string_view kNotice =
      "\nStopping when this step is done and saved; once more stops at once.\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNotice.data(), kNotice.size());
}

}  // namespace

StopSignals::StopSignals() {
  asked = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_int);
  sigaction(SIGTERM, &action, &previous_term);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &previous_int, nullptr);
  sigaction(SIGTERM, &previous_term, nullptr);
}

int StopSignals::status() {
  return asked;
}

}  // namespace hone
