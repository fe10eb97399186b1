#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// C[m][n] = sum over k of A[m][k] * B[n][k], or C += that sum. A and B hold `type` row-major
/// along k, C is f32; strides count elements. Products with bf16 inputs accumulate in f32.
///
/// The bits of C[m][n] are a function of row m of A, row n of B, k and the instruction path alone:
/// never of m, n, the other rows, the strides or the number of threads (law 2).
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  DType type = DType::f32;
  const void* a = nullptr;
  int64_t a_stride = 0;
  const void* b = nullptr;
  int64_t b_stride = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  bool accumulate = false;
};

/// Runs on `pool` with the kernels of `isa`. Any m, n, k >= 0; rows need no alignment.
void gemm(const Gemm& problem, Isa isa = current_isa(), ThreadPool& pool = ThreadPool::global());

/// The plain twin: one loop in double, rounded once. Tests compare `gemm` with it.
void gemm_reference(const Gemm& problem);

/// out[c][r] = in[r][c] for elements of `type`; strides count elements.
struct Transpose {
  int64_t rows = 0, columns = 0;
  DType type = DType::f32;
  const void* in = nullptr;
  int64_t in_stride = 0;
  void* out = nullptr;
  int64_t out_stride = 0;
};
void transpose(const Transpose& problem, Isa isa = current_isa(),
               ThreadPool& pool = ThreadPool::global());

/// Rounds `count` floats to bf16 (ties to even), and widens back (exact).
void convert(const float* in, bf16* out, int64_t count, ThreadPool& pool = ThreadPool::global());
void convert(const bf16* in, float* out, int64_t count, ThreadPool& pool = ThreadPool::global());

}  // namespace hone::kernels
