#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hone/base/metrics_writer.h"
#include "hone/rl/evaluation.h"
#include "hone/rl/policy_step.h"

namespace hone::rl {

/// Seconds of the phases of a step, one after the other.
class PhaseClock {
 public:
  PhaseClock() : start_(Clock::now()), last_(start_) {}
  /// Names the time since the last call (or the start).
  void end_phase(const char* name);
  double total_s() const;
  /// Seconds since the start.
  double elapsed_s() const;
  const Json& phases() const { return phases_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, last_;
  Json phases_ = Json::object();
};

/// What a step says of itself, under the names of docs/metrics.md.
class StepReport {
 public:
  StepReport(const std::vector<std::string>& reward_names, std::span<const RolloutGroup> groups,
             const StepTotals& totals, double lr, const PhaseClock& clock);

  /// Adds an evaluation made after this step.
  void add_evaluation(const Evaluation& evaluation);
  /// All metrics as one object; everything but the group `time` and `tokens_per_s` is a function
  /// of the run file alone.
  const Json& metrics() const { return metrics_; }
  /// The completions as people read them.
  const std::vector<LoggedSample>& samples() const { return samples_; }
  /// One line for the terminal.
  std::string line() const;
  double mean_reward() const { return mean_reward_; }

 private:
  void add_rewards(const std::vector<std::string>& names, std::span<const RolloutGroup> groups);
  void add_lengths(std::span<const RolloutGroup> groups);
  void add_totals(const StepTotals& totals);
  void add_samples(const std::vector<std::string>& names, std::span<const RolloutGroup> groups);

  Json metrics_ = Json::object();
  std::vector<LoggedSample> samples_;
  std::string evaluation_;
  double mean_reward_ = 0;
};

/// "sampled 85.0 %, greedy 93.3 %".
std::string evaluation_line(const Evaluation& evaluation);

}  // namespace hone::rl
