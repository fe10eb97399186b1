#include "hone/engine/sampling.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"

namespace hone::engine {

constexpr float kLeastTemperature = 1e-5f;  // below it logits / temperature overflow

static void check_range(const char* name, float value, float low, float high) {
  HONE_CHECK(value >= low && value <= high, "sampling: {} must be from {} to {}, got {}", name, low,
             high, value);
}

static void check_finite(const char* name, float value) {
  HONE_CHECK(std::isfinite(value), "sampling: {} must be a finite number, got {}", name, value);
}

void check(const SamplingParams& params) {
  check_finite("temperature", params.temperature);
  HONE_CHECK(params.temperature == 0 || params.temperature >= kLeastTemperature,
             "sampling: temperature must be 0 (the best token) or at least {}, got {}",
             kLeastTemperature, params.temperature);
  HONE_CHECK(params.top_k >= 0, "sampling: top_k must be at least 0 (0 keeps all tokens), got {}",
             params.top_k);
  check_range("top_p", params.top_p, 0, 1);
  check_range("min_p", params.min_p, 0, 1);
  check_finite("repetition_penalty", params.repetition_penalty);
  HONE_CHECK(params.repetition_penalty > 0,
             "sampling: repetition_penalty must be more than 0 (1 is off), got {}",
             params.repetition_penalty);
  check_finite("frequency_penalty", params.frequency_penalty);
  check_finite("presence_penalty", params.presence_penalty);
  HONE_CHECK(params.max_tokens >= 1, "sampling: max_tokens must be at least 1, got {}",
             params.max_tokens);
  HONE_CHECK(params.min_tokens >= 0 && params.min_tokens <= params.max_tokens,
             "sampling: min_tokens must be from 0 to max_tokens = {}, got {}", params.max_tokens,
             params.min_tokens);
  HONE_CHECK(std::ranges::none_of(params.stop, &std::string::empty),
             "sampling: a stop string must not be empty; leave it out");
}

}  // namespace hone::engine
