#include "hone/engine/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace hone::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kChunk = 1024;
constexpr size_t kGroup = 64;

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
  const int32_t power_of_two = (static_cast<int32_t>(n) + 127) << 23;
  return p * std::bit_cast<float>(power_of_two & -static_cast<int32_t>(x > -87.0f));
}

/// The greatest logit of each group of kGroup; empty if any logit is NaN or +infinity.
std::vector<float> group_maxima(std::span<const float> logits) {
  std::vector<float> maxima((logits.size() + kGroup - 1) / kGroup, -kInfinity);
  int32_t bad = 0;
  for (size_t group = 0; group < maxima.size(); ++group) {
    const size_t begin = group * kGroup, count = std::min(kGroup, logits.size() - begin);
    std::array<float, kGroup> values;
    values.fill(-kInfinity);
    std::copy_n(logits.begin() + begin, count, values.begin());
    for (const float value : values) bad |= !(value < kInfinity);
    for (size_t half = kGroup / 2; half > 0; half /= 2) {
      for (size_t i = 0; i < half; ++i) {
        values[i] = values[i + half] > values[i] ? values[i + half] : values[i];
      }
    }
    maxima[group] = values[0];
  }
  if (bad) maxima.clear();
  return maxima;
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

std::vector<double> chunk_sums(std::span<const float> logits, float best, float scale) {
  std::array<float, kChunk> weights;
  std::vector<double> sums;
  for (size_t begin = 0; begin < logits.size(); begin += kChunk) {
    const auto chunk = logits.subspan(begin, std::min(kChunk, logits.size() - begin));
    sums.push_back(fill_weights(chunk, best, scale, weights.data()));
  }
  return sums;
}

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Choice draw_from_all(std::span<const float> logits, float best, float scale, double uniform) {
  const std::vector<double> sums = chunk_sums(logits, best, scale);
  const double total = sum_of(sums), target = uniform * total;
  const size_t picked = invert_cumulative(sums, sums.size(), target);
  const size_t begin = picked * kChunk;
  const auto chunk = logits.subspan(begin, std::min(kChunk, logits.size() - begin));
  std::array<float, kChunk> weights;
  fill_weights(chunk, best, scale, weights.data());
  const double rest = target - sum_of(std::span(sums).first(picked));
  const size_t token = begin + invert_cumulative(weights, chunk.size(), rest);
  const double relative = static_cast<double>((logits[token] - best) * scale);
  return {static_cast<int32_t>(token), static_cast<float>(relative - std::log(total))};
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

double mass(const std::vector<Candidate>& candidates) {
  double sum = 0;
  for (const Candidate& candidate : candidates) sum += std::exp(candidate.logit);
  return sum;
}

/// Keeps the best candidates until `enough` mass is reached, at least one. Sorts no more than is
/// needed: pieces of growing size from the best down.
void keep_mass(std::vector<Candidate>& candidates, double enough) {
  double before = 0;
  size_t piece = 64;
  for (size_t begin = 0; begin < candidates.size(); begin += piece, piece *= 8) {
    const size_t end = std::min(begin + piece, candidates.size());
    const auto at = candidates.begin();
    std::nth_element(at + begin, at + end, candidates.end(), better);
    std::sort(at + begin, at + end, better);
    for (size_t i = begin; i < end; ++i) {
      if (i > 0 && before >= enough) return candidates.resize(i);
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

/// One row of logits with what the passes over it share.
struct Row {
  std::span<const float> logits;
  std::vector<float> maxima;
  float best;
};

/// The tokens at least `least` log-units below the best one, in id order.
std::vector<Candidate> tokens_above(const Row& row, double least, const SamplingParams& params) {
  const double scale = 1.0 / static_cast<double>(params.temperature);
  std::vector<Candidate> candidates;
  for (size_t group = 0; group < row.maxima.size(); ++group) {
    const auto relative = [&](float logit) {
      return (static_cast<double>(logit) - static_cast<double>(row.best)) * scale;
    };
    if (relative(row.maxima[group]) < least) continue;
    const size_t end = std::min((group + 1) * kGroup, row.logits.size());
    for (size_t token = group * kGroup; token < end; ++token) {
      const double logit = relative(row.logits[token]);
      if (logit >= least) candidates.push_back({static_cast<int32_t>(token), logit});
    }
  }
  return candidates;
}

/// A logit relative to the best one that every kept token reaches, found without sorting.
/// top_k: at least k tokens reach the k-th best group maximum. top_p: tokens of less than
/// (1 - top_p) / V each have together less than what may be cut off; half of it covers rounding.
double least_kept(const Row& row, const SamplingParams& params, double total) {
  double least = std::numeric_limits<double>::lowest();
  const double temperature = static_cast<double>(params.temperature);
  if (params.min_p > 0) least = std::log(static_cast<double>(params.min_p));
  if (params.top_k > 0 && static_cast<size_t>(params.top_k) <= row.maxima.size()) {
    std::vector<float> maxima = row.maxima;
    std::nth_element(maxima.begin(), maxima.begin() + params.top_k - 1, maxima.end(),
                     std::greater());
    const double bound = static_cast<double>(maxima[params.top_k - 1]);
    if (bound > -kInfinity) {
      least = std::max(least, (bound - static_cast<double>(row.best)) / temperature);
    }
  }
  if (total > 0) {
    const double share = (1 - static_cast<double>(params.top_p)) / std::ssize(row.logits);
    least = std::max(least, std::min(0.0, std::log(total * share / 2)));
  }
  return least;
}

std::vector<Candidate> filter(const Row& row, const SamplingParams& params) {
  const bool only_top_p = params.top_k == 0 && params.min_p == 0;
  double total = 0;  // of all tokens, where top_p sees them all
  if (only_top_p) total = sum_of(chunk_sums(row.logits, row.best, 1 / params.temperature));
  std::vector<Candidate> candidates = tokens_above(row, least_kept(row, params, total), params);
  if (params.top_k > 0) keep_top_k(candidates, static_cast<size_t>(params.top_k));
  if (params.top_p < 1) {
    keep_mass(candidates,
              static_cast<double>(params.top_p) * (only_top_p ? total : mass(candidates)));
  }
  std::ranges::sort(candidates, {}, &Candidate::token);
  return candidates;
}

Choice draw_filtered(const Row& row, const SamplingParams& params, double uniform) {
  const std::vector<Candidate> candidates = filter(row, params);
  std::vector<double> weights;
  for (const Candidate& candidate : candidates) weights.push_back(std::exp(candidate.logit));
  const double total = sum_of(weights);
  const Candidate& drawn = candidates[invert_cumulative(weights, weights.size(), uniform * total)];
  return {drawn.token, static_cast<float>(drawn.logit - std::log(total))};
}

}  // namespace

Choice choose_token(std::span<const float> logits, const SamplingParams& params,
                    const TokenHistory& history, double uniform) {
  const bool masked = std::ssize(history.output) < params.min_tokens;
  const bool penalised = params.repetition_penalty != 1 || params.frequency_penalty != 0 ||
                         params.presence_penalty != 0;
  std::vector<float> changed;
  if (masked || penalised) {
    changed.assign(logits.begin(), logits.end());
    if (masked) mask_stop_tokens(changed, params);
    if (penalised) apply_penalties(changed, params, history);
    logits = changed;
  }
  Row row{logits, group_maxima(logits), -kInfinity};
  for (const float maximum : row.maxima) row.best = std::max(row.best, maximum);
  if (row.best == -kInfinity) return {};
  if (params.temperature == 0) return {first_of(logits, row.best), 0.0f};
  if (params.top_k > 0 || params.top_p < 1 || params.min_p > 0) {
    return draw_filtered(row, params, uniform);
  }
  Choice choice = draw_from_all(logits, row.best, 1 / params.temperature, uniform);
  if (changed.empty()) choice.log_prob.reset();
  return choice;
}

}  // namespace hone::engine
