#include "hone/kernels/exp.h"
#include "hone/kernels/head_kernels.h"
#include "hone/kernels/lanes.h"

namespace hone::kernels::HONE_ISA {
namespace {

constexpr float kInfinity = __builtin_huge_valf();

Vec capped(Vec logits, float softcap) {
  return softcap > 0 ? softcap * tanh(logits / softcap) : logits;
}

void cap(float* logits, int64_t count, float softcap) {
  for_each_vector(count, [&](int64_t i, int64_t some) {
    store_some(logits + i, capped(load_some(logits + i, some), softcap), some);
  });
}

/// Keeps the lanes before `count`; the others become `rest`.
Vec first_lanes(Vec v, int64_t count, float rest) {
  for (int64_t lane = count; lane < kLanes; ++lane) v[lane] = rest;
  return v;
}

/// z of a chunk, in memory: were it recomputed where it is used, z - maximum could become one fused
/// multiply-add, exp of the largest z would not be 1 and a log-probability could exceed 0.
struct ScaledChunk {
  alignas(64) float z[kVocabularyChunk + kLanes];
  float maximum = -kInfinity;

  explicit ScaledChunk(const ChunkRow& row) {
    Vec largest = splat(-kInfinity);
    for_each_vector(row.count, [&](int64_t i, int64_t count) {
      const Vec logits = capped(load_some(row.logits + i, count), row.softcap);
      const Vec scaled = first_lanes(logits * row.inverse_temperature, count, -kInfinity);
      store(z + i, scaled);
      largest = select(scaled > largest, scaled, largest);
    });
    for (int lane = 0; lane < kLanes; ++lane) {
      if (largest[lane] > maximum) maximum = largest[lane];
    }
  }
};

/// A NaN logit does not enter the maximum but makes the sums NaN for good.
void fold(const ChunkRow& row, RowState& state) {
  const ScaledChunk chunk(row);
  if (row.target >= 0) state.target_z = chunk.z[row.target];
  const float maximum = chunk.maximum > state.maximum ? chunk.maximum : state.maximum;
  // As long as all logits are -inf, their differences must not become NaN.
  const float origin = maximum == -kInfinity ? 0 : maximum;
  Vec total{}, weighted{};
  for (int64_t i = 0; i < row.count; i += kLanes) {
    const Vec shifted = load(chunk.z + i) - origin;
    const Vec e = exp(shifted);
    total += e;
    weighted += select(e == 0.0f, Vec{}, e * shifted);
  }
  const float shift = state.maximum - origin;
  const float keep = exp(splat(shift))[0];
  const float kept = keep == 0 ? 0 : keep * (state.weighted + shift * state.total);
  state.weighted = kept + sum(weighted);
  state.total = state.total * keep + sum(total);
  state.maximum = maximum;
}

void gradient(const ChunkGradient& problem) {
  const ChunkRow& row = problem.row;
  const ScaledChunk chunk(row);
  for_each_vector(row.count, [&](int64_t i, int64_t count) {
    const Vec log_p = load(chunk.z + i) - problem.log_sum_exp;
    const Vec p = exp(log_p);
    Vec grad = -problem.grad_log_prob * p;
    if (problem.grad_entropy != 0) {
      grad -= select(p == 0.0f, Vec{}, problem.grad_entropy * p * (log_p + problem.entropy));
    }
    if (row.target >= i && row.target < i + count) grad[row.target - i] += problem.grad_log_prob;
    grad *= row.inverse_temperature;
    if (row.softcap > 0) {
      const Vec t = tanh(load_some(row.logits + i, count) / row.softcap);
      grad *= 1.0f - t * t;
    }
    store_typed(problem.out, problem.type, i, grad, count);
  });
}

}  // namespace

const HeadKernels& head_kernels() {
  static constexpr HeadKernels kernels{fold, gradient, cap};
  return kernels;
}

}  // namespace hone::kernels::HONE_ISA
