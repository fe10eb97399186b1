#include "hone/kernels/rope.h"

#include "hone/kernels/lanes.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels::HONE_ISA {
namespace {

/// Turns the head whose elements start at `in` of x and `out` of y; `angle` indexes the tables.
void turn_head(const Rope& problem, int64_t angle, int64_t in, int64_t out) {
  const int64_t half = problem.rotary_dim / 2;
  for_each_vector(half, [&](int64_t i, int64_t count) {
    const Vec low = load_typed(problem.x, problem.x_type, in + i, count);
    const Vec high = load_typed(problem.x, problem.x_type, in + half + i, count);
    const Vec cosine = load_some(problem.cosine + angle + i, count);
    const Vec table = load_some(problem.sine + angle + i, count);
    const Vec sine = problem.inverse ? -table : table;
    store_typed(problem.y, problem.y_type, out + i, low * cosine - high * sine, count);
    store_typed(problem.y, problem.y_type, out + half + i, high * cosine + low * sine, count);
  });
  for_each_vector(problem.head_dim - 2 * half, [&](int64_t i, int64_t count) {
    const int64_t rest = 2 * half + i;
    store_typed(problem.y, problem.y_type, out + rest,
                load_typed(problem.x, problem.x_type, in + rest, count), count);
  });
}

void turn_tokens(const Rope& problem, int64_t begin, int64_t end) {
  for (int64_t token = begin; token < end; ++token) {
    const int64_t angle = problem.positions[token] * (problem.rotary_dim / 2);
    for (int64_t head = 0; head < problem.heads; ++head) {
      turn_head(problem, angle, token * problem.x_stride + head * problem.head_dim,
                token * problem.y_stride + head * problem.head_dim);
    }
  }
}

}  // namespace

RowKernel<Rope> rope_kernel() {
  return turn_tokens;
}

}  // namespace hone::kernels::HONE_ISA
