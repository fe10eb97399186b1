#include "hone/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone::train {

double schedule_factor(const ScheduleConfig& config, int64_t step, int64_t total_steps) {
  if (step < config.warmup_steps) {
    return static_cast<double>(step + 1) / static_cast<double>(config.warmup_steps + 1);
  }
  const double decay_steps = std::max<double>(1, total_steps - config.warmup_steps);
  const double progress = std::min(1.0, (step - config.warmup_steps) / decay_steps);
  const double span = 1 - config.min_ratio;
  switch (config.decay) {
    case Decay::constant:
      return 1;
    case Decay::linear:
      return 1 - span * progress;
    case Decay::cosine:
      return config.min_ratio + span * (1 + std::cos(std::numbers::pi * progress)) / 2;
  }
  return 1;
}

}  // namespace hone::train
