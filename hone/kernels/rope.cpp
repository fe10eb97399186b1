#include "hone/kernels/rope.h"

#include "hone/kernels/isa.h"
#include "hone/kernels/row_kernel.h"

namespace hone::kernels {

HONE_DECLARE_PER_ISA(RowKernel<Rope> rope_kernel())

void rope(const Rope& problem, Isa isa, ThreadPool& pool) {
  run_rows(problem, HONE_CALL_PER_ISA(isa, rope_kernel), problem.tokens,
           rows_per_task(problem.heads * problem.head_dim), pool);
}

void rope_reference(const Rope& problem) {
  const int64_t half = problem.rotary_dim / 2;
  for (int64_t i = 0; i < problem.tokens * problem.heads * problem.head_dim; ++i) {
    const int64_t dim = i % problem.head_dim, token = i / problem.head_dim / problem.heads;
    const int64_t column = i % (problem.heads * problem.head_dim);
    const auto x = [&](int64_t offset) {
      return read(problem.x, problem.x_type, token * problem.x_stride + column + offset);
    };
    double y = x(0);
    if (dim < 2 * half) {
      const int64_t angle = problem.positions[token] * half + dim % half;
      const double sine = problem.inverse ? -problem.sine[angle] : problem.sine[angle];
      y = x(0) * problem.cosine[angle] + (dim < half ? -x(half) * sine : x(-half) * sine);
    }
    write(problem.y, problem.y_type, token * problem.y_stride + column, y);
  }
}

}  // namespace hone::kernels
