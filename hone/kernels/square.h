#pragma once

#include "hone/kernels/types.h"

/// Transposition in registers, for *_isa.cpp files only.
namespace hone::kernels::HONE_ISA {

/// x and y interleaved: x[0] y[0] x[1] y[1] …, its lower half or its upper half.
template <int kSide, typename Row, typename Index>
inline Row interleave(Row x, Row y, bool upper) {
  Index index;
  for (int i = 0; i < kSide; ++i) index[i] = i / 2 + (i % 2 ? kSide : 0) + (upper ? kSide / 2 : 0);
  return __builtin_shuffle(x, y, index);
}

/// Transposes `rows` in place: log2(kSide) perfect shuffles of the list of rows.
template <int kSide, typename Row, typename Index>
inline __attribute__((always_inline)) void transpose_square(Row (&rows)[kSide]) {
  for (int stride = 1; stride < kSide; stride *= 2) {
    Row next[kSide];
#pragma GCC unroll 16
    for (int i = 0; i < kSide / 2; ++i) {
      next[2 * i] = interleave<kSide, Row, Index>(rows[i], rows[i + kSide / 2], false);
      next[2 * i + 1] = interleave<kSide, Row, Index>(rows[i], rows[i + kSide / 2], true);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) rows[i] = next[i];
  }
}

}  // namespace hone::kernels::HONE_ISA
