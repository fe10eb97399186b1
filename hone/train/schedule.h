#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace hone::train {

/// The shape of the learning rate after warm-up.
enum class Decay { constant, linear, cosine };

constexpr std::array<std::pair<Decay, const char*>, 3> enum_names(Decay) {
  return {{{Decay::constant, "constant"}, {Decay::linear, "linear"}, {Decay::cosine, "cosine"}}};
}

/// The learning rate over steps: linear warm-up from 0, then the decay down to `min_ratio`.
struct ScheduleConfig {
  Decay decay = Decay::constant;
  int64_t warmup_steps = 0;
  double min_ratio = 0;

  static void fields(auto&& self, auto&& visit) {
    visit("decay", self.decay, "shape of the learning rate after warm-up");
    visit("warmup_steps", self.warmup_steps, "steps of linear warm-up from 0");
    visit("min_ratio", self.min_ratio, "last learning rate as a share of the highest");
  }
};

/// The factor on the highest learning rate at `step` (0-based) of `total_steps`: in step s of the
/// warm-up (s + 1) / (warmup_steps + 1), as the last warm-up step still lies below 1.
double schedule_factor(const ScheduleConfig& config, int64_t step, int64_t total_steps);

}  // namespace hone::train
