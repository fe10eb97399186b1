#pragma once

#include "hone/kernels/types.h"

/// Sixteen floats as one value, for *_isa.cpp files only. The compiler lowers it to one AVX-512
/// register, two AVX2 registers or plain SSE, so a loop is written once for every path.
namespace hone::kernels::HONE_ISA {

typedef float Vec __attribute__((vector_size(64)));
typedef int32_t IntVec __attribute__((vector_size(64)));
typedef uint32_t WordVec __attribute__((vector_size(64)));
typedef uint16_t HalfVec __attribute__((vector_size(32)));
inline constexpr int64_t kLanes = 16;

inline Vec splat(float value) {
  return Vec{} + value;
}

inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline Vec load(const bf16* p) {
  HalfVec half;
  __builtin_memcpy(&half, p, sizeof half);
  return (Vec)(__builtin_convertvector(half, IntVec) << 16);
}

inline void store(float* p, Vec v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// Rounds to nearest even; NaN stays NaN.
inline void store(bf16* p, Vec v) {
  const IntVec bits = (IntVec)v;
  const IntVec rounded = (IntVec)((WordVec)bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const IntVec quiet = (bits >> 16) | 0x40;
  const IntVec is_nan = (bits & 0x7fffffff) > 0x7f800000;
  const HalfVec half = __builtin_convertvector(is_nan ? quiet : rounded, HalfVec);
  __builtin_memcpy(p, &half, sizeof half);
}

/// Sum of the lanes as a fixed tree.
inline float sum(Vec v) {
  for (int width = 8; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) v[i] += v[i + width];
  }
  return v[0];
}

}  // namespace hone::kernels::HONE_ISA
