#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "hone/base/cpu.h"
#include "hone/kernels/types.h"

/// Random arrays for the tests of kernels, in either element type.
namespace hone::kernels::testing {

/// An array whose type is chosen at run time.
struct Array {
  DType type = DType::f32;
  std::vector<float> floats;
  std::vector<bf16> halves;

  Array(DType type, int64_t count) : type(type), floats(count), halves(count) {}
  void* data() { return type == DType::f32 ? static_cast<void*>(floats.data()) : halves.data(); }
  float at(int64_t i) const { return type == DType::f32 ? floats[i] : to_float(halves[i]); }
  int64_t size() const { return static_cast<int64_t>(floats.size()); }
};

inline Array random_array(DType type, int64_t count, std::mt19937& random, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  Array array(type, count);
  for (int64_t i = 0; i < count; ++i) {
    array.floats[i] = normal(random);
    array.halves[i] = to_bf16(array.floats[i]);
  }
  return array;
}

inline std::vector<float> random_floats(int64_t count, std::mt19937& random, float scale = 1) {
  return random_array(DType::f32, count, random, scale).floats;
}

/// Every instruction path of this machine.
inline std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (int i = 0; i <= static_cast<int>(detect_isa()); ++i) all.push_back(static_cast<Isa>(i));
  return all;
}

/// |a - b| relative to 1 + |b|; NaN where either is.
inline double difference(double a, double b) {
  return std::abs(a - b) / (1 + std::abs(b));
}

/// What rounding the result to `type` may cost.
inline double tolerance(DType type, double f32) {
  return type == DType::f32 ? f32 : 8e-3;
}

}  // namespace hone::kernels::testing
