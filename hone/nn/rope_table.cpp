#include <cmath>
#include <numbers>

#include "hone/nn/decoder.h"

namespace hone::nn {
namespace {

/// Llama 3.1: long waves are slowed by `factor`, short ones kept, those between interpolated.
double scale_llama3(const RopeConfig& config, double frequency) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double ratio = config.original_max_positions / wavelength;
  if (ratio < config.low_freq_factor) return frequency / config.factor;
  if (ratio > config.high_freq_factor) return frequency;
  const double smooth =
      (ratio - config.low_freq_factor) / (config.high_freq_factor - config.low_freq_factor);
  return (1 - smooth) * frequency / config.factor + smooth * frequency;
}

double frequency_of(const RopeConfig& config, int64_t pair, int64_t head_dim) {
  const double frequency = std::pow(config.theta, -2.0 * pair / head_dim);
  switch (config.scaling) {
    case RopeConfig::Scaling::none:
      return frequency;
    case RopeConfig::Scaling::linear:
      return frequency / config.factor;
    case RopeConfig::Scaling::llama3:
      return scale_llama3(config, frequency);
  }
  HONE_ASSERT(false, "scaling {}", static_cast<int>(config.scaling));
}

}  // namespace

ops::RopeTable make_rope_table(const RopeConfig& config, int64_t head_dim, int64_t positions,
                               at::Device device) {
  at::Tensor cosine = at::empty({positions, head_dim / 2}, at::kFloat);
  at::Tensor sine = at::empty({positions, head_dim / 2}, at::kFloat);
  float *cosines = cosine.mutable_data_ptr<float>(), *sines = sine.mutable_data_ptr<float>();
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    const float frequency = static_cast<float>(frequency_of(config, pair, head_dim));
    for (int64_t position = 0; position < positions; ++position) {
      // Hugging Face multiplies position and frequency in float32 before the cosine.
      const float angle = static_cast<float>(position) * frequency;
      cosines[position * (head_dim / 2) + pair] = static_cast<float>(std::cos(double{angle}));
      sines[position * (head_dim / 2) + pair] = static_cast<float>(std::sin(double{angle}));
    }
  }
  return {cosine.to(device), sine.to(device)};
}

}  // namespace hone::nn
