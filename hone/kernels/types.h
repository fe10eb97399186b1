#pragma once

#include <cstdint>
#include <cstring>

namespace hone::kernels {

/// Element types of weights, GEMM inputs and cached keys and values; all else is f32.
enum class DType { f32, bf16 };

/// The upper half of an IEEE float, rounded to nearest even on conversion.
struct bf16 {
  uint16_t bits;
};

inline int64_t size_of(DType type) {
  return type == DType::f32 ? 4 : 2;
}

inline float to_float(float value) {
  return value;
}

inline float to_float(bf16 value) {
  const uint32_t bits = uint32_t{value.bits} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// NaN stays NaN; every other value goes to the nearest bf16, ties to even.
inline bf16 to_bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

}  // namespace hone::kernels
