#include "hone/engine/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

namespace hone::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kChunk = 1024;

/// e^x for x <= 0 within 2e-7 relative, 0 below -87. Spelled in plain operations without FMA so
/// that it vectorises and gives the same bits on every machine.
inline float exp_negative(float x) {
  const float clamped = x > -87.0f ? x : -87.0f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float n = (clamped * 1.44269504f + kRound) - kRound;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const int32_t exponent = (static_cast<int32_t>(n) + 127) << 23;
  return x > -87.0f ? p * std::bit_cast<float>(exponent) : 0.0f;
}

/// The greatest logit; NaN if any is NaN or +infinity.
float greatest(std::span<const float> logits) {
  float best = -kInfinity;
  int32_t bad = 0;
  for (const float logit : logits) {
    best = logit > best ? logit : best;
    bad |= !(logit < kInfinity);
  }
  return bad ? std::numeric_limits<float>::quiet_NaN() : best;
}

int32_t first_of(std::span<const float> logits, float value) {
  return static_cast<int32_t>(std::ranges::find(logits, value) - logits.begin());
}

double fill_weights(std::span<const float> logits, float best, float scale, float* weights) {
  for (size_t i = 0; i < logits.size(); ++i) {
    weights[i] = exp_negative((logits[i] - best) * scale);
  }
  std::array<double, 8> lanes{};
  size_t i = 0;
  for (; i + 8 <= logits.size(); i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) lanes[lane] += static_cast<double>(weights[i + lane]);
  }
  for (; i < logits.size(); ++i) lanes[0] += static_cast<double>(weights[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// The first index whose cumulative weight exceeds `target`; where rounding leaves none, the last
/// one with any weight.
template <typename Weights>
size_t invert_cumulative(const Weights& weights, size_t count, double target) {
  double cumulative = 0;
  size_t last = 0;
  for (size_t i = 0; i < count; ++i) {
    if (weights[i] <= 0) continue;
    cumulative += static_cast<double>(weights[i]);
    last = i;
    if (cumulative > target) break;
  }
  return last;
}

int32_t draw_plain(std::span<const float> logits, float best, float scale, double uniform) {
  std::array<float, kChunk> weights;
  std::vector<double> chunk_sums;
  double total = 0;
  for (size_t begin = 0; begin < logits.size(); begin += kChunk) {
    const auto chunk = logits.subspan(begin, std::min(kChunk, logits.size() - begin));
    chunk_sums.push_back(fill_weights(chunk, best, scale, weights.data()));
    total += chunk_sums.back();
  }
  const double target = uniform * total;
  const size_t picked = invert_cumulative(chunk_sums, chunk_sums.size(), target);
  double before = 0;
  for (size_t i = 0; i < picked; ++i) before += chunk_sums[i];
  const size_t begin = picked * kChunk;
  const auto chunk = logits.subspan(begin, std::min(kChunk, logits.size() - begin));
  fill_weights(chunk, best, scale, weights.data());
  return static_cast<int32_t>(begin + invert_cumulative(weights, chunk.size(), target - before));
}

struct Candidate {
  int32_t token;
  double logit;  // divided by the temperature, relative to the best one
};

bool better(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

void keep_top_k(std::vector<Candidate>& candidates, size_t k) {
  if (k >= candidates.size()) return;
  std::nth_element(candidates.begin(), candidates.begin() + k, candidates.end(), better);
  candidates.resize(k);
}

/// Sorts no more than is needed: pieces of growing size from the best down.
void keep_top_p(std::vector<Candidate>& candidates, double top_p) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += std::exp(candidate.logit);
  double before = 0;
  size_t piece = 64;
  for (size_t begin = 0; begin < candidates.size(); begin += piece, piece *= 8) {
    const size_t end = std::min(begin + piece, candidates.size());
    const auto at = candidates.begin();
    std::nth_element(at + begin, at + end, candidates.end(), better);
    std::sort(at + begin, at + end, better);
    for (size_t i = begin; i < end; ++i) {
      if (i > 0 && before >= top_p * total) return candidates.resize(i);
      before += std::exp(candidates[i].logit);
    }
  }
}

void mask_stop_tokens(std::span<float> logits, const SamplingParams& params) {
  for (const int32_t token : params.stop_token_ids) {
    if (token >= 0 && static_cast<size_t>(token) < logits.size()) logits[token] = -kInfinity;
  }
}

/// Repetition penalty: Keskar et al., CTRL, 1909.05858; the other two as the OpenAI API has them.
void apply_penalties(std::span<float> logits, const SamplingParams& params,
                     const TokenHistory& history) {
  std::unordered_map<int32_t, int32_t> output_counts;
  for (const int32_t token : history.prompt) output_counts.emplace(token, 0);
  for (const int32_t token : history.output) ++output_counts[token];
  for (const auto& [token, count] : output_counts) {
    if (token < 0 || static_cast<size_t>(token) >= logits.size()) continue;
    float& logit = logits[token];
    logit = logit > 0 ? logit / params.repetition_penalty : logit * params.repetition_penalty;
    logit -= params.frequency_penalty * static_cast<float>(count);
    if (count > 0) logit -= params.presence_penalty;
  }
}

std::vector<Candidate> filter(std::span<const float> logits, float best,
                              const SamplingParams& params) {
  const double scale = 1.0 / static_cast<double>(params.temperature);
  const double lowest = params.min_p > 0 ? std::log(static_cast<double>(params.min_p)) : -kInfinity;
  std::vector<Candidate> candidates;
  for (size_t token = 0; token < logits.size(); ++token) {
    const double logit = (static_cast<double>(logits[token]) - static_cast<double>(best)) * scale;
    if (logit >= lowest && logit > -kInfinity) {
      candidates.push_back({static_cast<int32_t>(token), logit});
    }
  }
  if (params.top_k > 0) keep_top_k(candidates, static_cast<size_t>(params.top_k));
  if (params.top_p < 1) keep_top_p(candidates, static_cast<double>(params.top_p));
  if (params.top_k > 0 || params.top_p < 1) {
    std::ranges::sort(candidates, {}, &Candidate::token);
  }
  return candidates;
}

Choice draw_filtered(std::span<const float> logits, float best, const SamplingParams& params,
                     double uniform) {
  const std::vector<Candidate> candidates = filter(logits, best, params);
  std::vector<double> weights;
  weights.reserve(candidates.size());
  double total = 0;
  for (const Candidate& candidate : candidates) {
    weights.push_back(std::exp(candidate.logit));
    total += weights.back();
  }
  const Candidate& drawn = candidates[invert_cumulative(weights, weights.size(), uniform * total)];
  return {drawn.token, static_cast<float>(drawn.logit - std::log(total))};
}

}  // namespace

Choice choose_token(std::span<const float> logits, const SamplingParams& params,
                    const TokenHistory& history, double uniform) {
  float best = greatest(logits);
  if (std::isnan(best)) return {};
  const bool masked = std::ssize(history.output) < params.min_tokens;
  const bool penalised = params.repetition_penalty != 1 || params.frequency_penalty != 0 ||
                         params.presence_penalty != 0;
  std::vector<float> changed;
  if (masked || penalised) {
    changed.assign(logits.begin(), logits.end());
    if (masked) mask_stop_tokens(changed, params);
    if (penalised) apply_penalties(changed, params, history);
    logits = changed;
    best = greatest(logits);
  }
  if (!(best > -kInfinity)) return {};
  if (params.temperature == 0) return {first_of(logits, best), 0.0f};
  if (masked || penalised || params.top_k > 0 || params.top_p < 1 || params.min_p > 0) {
    return draw_filtered(logits, best, params, uniform);
  }
  return {draw_plain(logits, best, 1 / params.temperature, uniform), std::nullopt};
}

}  // namespace hone::engine
