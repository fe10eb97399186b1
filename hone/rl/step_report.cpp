#include "hone/rl/step_report.h"

#include <cmath>

#include "hone/base/cpu.h"

namespace hone::rl {
namespace {

struct Moments {
  double sum = 0, squares = 0, count = 0, largest = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    largest = count == 0 ? value : std::max(largest, value);
    ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / count; }
  double deviation() const {
    return count < 2 ? 0 : std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1));
  }
};

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void PhaseClock::end_phase(const char* name) {
  const auto now = Clock::now();
  phases_[name] = seconds_between(last_, now);
  last_ = now;
}

double PhaseClock::elapsed_s() const {
  return seconds_between(start_, Clock::now());
}

double PhaseClock::total_s() const {
  return seconds_between(start_, last_);
}

StepReport::StepReport(const std::vector<std::string>& reward_names,
                       std::span<const RolloutGroup> groups, const StepTotals& totals, double lr,
                       const PhaseClock& clock) {
  add_totals(totals);
  add_rewards(reward_names, groups);
  add_lengths(groups);
  add_samples(reward_names, groups);
  metrics_["lr"] = lr;
  int64_t tokens = 0;
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) {
      tokens += static_cast<int64_t>(group.prompt->tokens.size() + completion.tokens.size());
    }
  }
  metrics_["time"] = clock.phases();
  metrics_["time"]["step"] = clock.total_s();
  metrics_["time"]["tokens_per_s"] = static_cast<double>(tokens) / clock.total_s();
  metrics_["time"]["peak_memory_bytes"] = peak_memory_bytes();
}

void StepReport::add_totals(const StepTotals& totals) {
  const double tokens = std::max<double>(1, totals.token_count);
  const double steps = std::max<double>(1, totals.optimizer_steps);
  metrics_["loss"] = totals.loss / steps;
  metrics_["entropy"] = totals.entropy / tokens;
  metrics_["approx_kl"] = totals.approx_kl1 / tokens;
  metrics_["approx_kl_k3"] = totals.approx_kl3 / tokens;
  metrics_["ref_kl"] = totals.reference_kl / tokens;
  metrics_["clip_frac"] = (totals.clipped_low + totals.clipped_high) / tokens;
  metrics_["clip_frac_low"] = totals.clipped_low / tokens;
  metrics_["clip_frac_high"] = totals.clipped_high / tokens;
  metrics_["ratio"] = {{"min", totals.ratio_min}, {"max", totals.ratio_max}};
  metrics_["grad_norm"] = totals.grad_norm / steps;
  metrics_["mismatch_max"] = totals.mismatch_max;
  metrics_["on_policy_tokens"] = totals.on_policy_count;
}

void StepReport::add_rewards(const std::vector<std::string>& names,
                             std::span<const RolloutGroup> groups) {
  Moments all;
  std::vector<Moments> parts(names.size());
  std::vector<double> rewards;
  std::vector<int64_t> sizes;
  for (const auto& group : groups) {
    sizes.push_back(static_cast<int64_t>(group.completions.size()));
    for (const auto& completion : group.completions) {
      all.add(completion.scores.total);
      rewards.push_back(completion.scores.total);
      for (size_t i = 0; i < names.size(); ++i) parts[i].add(completion.scores.parts[i].value);
    }
  }
  mean_reward_ = all.mean();
  Json& reward = metrics_["reward"];
  reward = {{"mean", all.mean()}, {"std", all.deviation()}};
  for (size_t i = 0; i < names.size(); ++i) {
    reward[names[i] + "/mean"] = parts[i].mean();
    reward[names[i] + "/std"] = parts[i].deviation();
  }
  metrics_["groups"]["zero_std_frac"] = zero_std_share(rewards, sizes);
}

void StepReport::add_lengths(std::span<const RolloutGroup> groups) {
  Moments lengths;
  double truncated = 0;
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) {
      lengths.add(static_cast<double>(completion.tokens.size()));
      truncated += completion.truncated();
    }
  }
  metrics_["response_length"] = {{"mean", lengths.mean()}, {"max", lengths.largest}};
  metrics_["truncated_frac"] = truncated / std::max(1.0, lengths.count);
}

void StepReport::add_samples(const std::vector<std::string>& names,
                             std::span<const RolloutGroup> groups) {
  for (const auto& group : groups) {
    for (const auto& completion : group.completions) {
      Json parts = Json::object();
      for (size_t i = 0; i < names.size(); ++i) parts[names[i]] = completion.scores.parts[i].value;
      samples_.push_back({.prompt = group.prompt->text,
                          .completion = completion.text,
                          .reward = completion.scores.total,
                          .details = {{"answer", group.prompt->answer},
                                      {"rewards", parts},
                                      {"finish", engine::to_string(completion.finish)}}});
    }
  }
}

void StepReport::add_evaluation(const Evaluation& evaluation) {
  metrics_["eval"] = {{"sampled", evaluation.sampled}, {"greedy", evaluation.greedy}};
  evaluation_ = evaluation_line(evaluation);
}

std::string StepReport::line() const {
  const auto value = [&](const char* name) { return metrics_.at(name).get<double>(); };
  return fmt::format(
      "reward {:.3f}  entropy {:.3f}  grad {:.2f}  length {:.1f}  mismatch_max {}  {:.1f} s{}{}",
      mean_reward_, value("entropy"), value("grad_norm"),
      metrics_.at("response_length").at("mean").get<double>(), value("mismatch_max"),
      metrics_.at("time").at("step").get<double>(), evaluation_.empty() ? "" : "  ", evaluation_);
}

std::string evaluation_line(const Evaluation& evaluation) {
  return fmt::format("sampled {:.1f} %, greedy {:.1f} %", 100 * evaluation.sampled,
                     100 * evaluation.greedy);
}

}  // namespace hone::rl
