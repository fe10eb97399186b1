#pragma once

#include "hone/kernels/vec.h"

/// Elementary functions on sixteen floats, for *_isa.cpp files.
namespace hone::kernels::HONE_ISA {

inline Vec select(IntVec condition, Vec yes, Vec no) {
  return (Vec)((condition & (IntVec)yes) | (~condition & (IntVec)no));
}

/// e^x within 2 ulp for results in the normal range; 0 below -87.3, NaN for NaN. The method is
/// Cody and Waite's: x = n ln 2 + r, a polynomial for e^r, n added to the exponent.
inline Vec exp(Vec x) {
  const Vec clamped = select(x > 88.3f, splat(88.3f), select(x < -87.3f, splat(-87.3f), x));
  const Vec magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer
  const Vec shifted = clamped * 1.44269504088896341f + magic;
  const Vec n = shifted - magic;
  const Vec r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  Vec p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const IntVec exponent = ((IntVec)shifted - 0x4b400000) << 23;
  const Vec result = (Vec)((IntVec)p + exponent);
  return select(x != x, x, select(x < -87.3f, Vec{}, result));
}

/// tanh(x) = 1 - 2 / (e^2x + 1).
inline Vec tanh(Vec x) {
  return 1.0f - 2.0f / (exp(x * 2.0f) + 1.0f);
}

}  // namespace hone::kernels::HONE_ISA
