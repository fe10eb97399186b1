#pragma once

#include <algorithm>

#include "hone/base/threads.h"
#include "hone/kernels/types.h"

/// How row-wise work is shared over threads and handed to the instruction paths.
namespace hone::kernels {

/// Computes rows (elements for kernels without rows) [begin, end) of a problem on one thread.
template <typename Problem>
using RowKernel = void (*)(const Problem&, int64_t begin, int64_t end);

/// Elements of one task: enough to pay for handing it out.
inline constexpr int64_t kElementsPerTask = 16384;

/// Runs `kernel` on ranges of at most `step` rows of [0, count), each starting at a multiple of it.
template <typename Problem>
void run_rows(const Problem& problem, RowKernel<Problem> kernel, int64_t count, int64_t step,
              ThreadPool& pool) {
  pool.parallel_for((count + step - 1) / step,
                    [&](int64_t i) { kernel(problem, i * step, std::min(count, (i + 1) * step)); });
}

/// The step for rows that do not depend on each other.
inline int64_t rows_per_task(int64_t columns) {
  return std::max<int64_t>(1, kElementsPerTask / std::max<int64_t>(1, columns));
}

/// Element `index` of an array of `type`, for the plain twins.
inline double read(const void* values, DType type, int64_t index) {
  return type == DType::f32 ? static_cast<const float*>(values)[index]
                            : to_float(static_cast<const bf16*>(values)[index]);
}

/// Rounds `value` to element `index` of an array of `type`, for the plain twins.
inline void write(void* values, DType type, int64_t index, double value) {
  if (type == DType::f32) {
    static_cast<float*>(values)[index] = static_cast<float>(value);
  } else {
    static_cast<bf16*>(values)[index] = to_bf16(static_cast<float>(value));
  }
}

}  // namespace hone::kernels
