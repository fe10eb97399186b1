#include "hone/engine/sampling.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"

namespace hone::engine {

constexpr float kLeastTemperature = 1e-5f;  // below it logits / temperature overflow

void SamplingParams::check(std::string_view origin) const {
  const auto check_range = [&](const char* name, float value, float low, float high) {
    HONE_CHECK(value >= low && value <= high, "{}: {} must be from {} to {}, got {}", origin, name,
               low, high, value);
  };
  const auto check_finite = [&](const char* name, float value) {
    HONE_CHECK(std::isfinite(value), "{}: {} must be a finite number, got {}", origin, name, value);
  };
  check_finite("temperature", temperature);
  HONE_CHECK(temperature == 0 || temperature >= kLeastTemperature,
             "{}: temperature must be 0 (the best token) or at least {}, got {}", origin,
             kLeastTemperature, temperature);
  HONE_CHECK(top_k >= 0, "{}: top_k must be at least 0 (0 keeps all tokens), got {}", origin,
             top_k);
  check_range("top_p", top_p, 0, 1);
  check_range("min_p", min_p, 0, 1);
  check_finite("repetition_penalty", repetition_penalty);
  HONE_CHECK(repetition_penalty > 0,
             "{}: repetition_penalty must be more than 0 (1 is off), got {}", origin,
             repetition_penalty);
  check_finite("frequency_penalty", frequency_penalty);
  check_finite("presence_penalty", presence_penalty);
  HONE_CHECK(max_tokens >= 1, "{}: max_tokens must be at least 1, got {}", origin, max_tokens);
  HONE_CHECK(min_tokens >= 0 && min_tokens <= max_tokens,
             "{}: min_tokens must be from 0 to max_tokens = {}, got {}", origin, max_tokens,
             min_tokens);
  HONE_CHECK(std::ranges::none_of(stop, &std::string::empty),
             "{}: a stop string must not be empty; leave it out", origin);
}

}  // namespace hone::engine
