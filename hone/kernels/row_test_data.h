#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/base/cpu.h"
#include "hone/base/rng.h"
#include "hone/kernels/types.h"

/// Inputs and comparisons for the tests of row-wise kernels.
namespace hone::kernels {

/// Every path of this machine, scalar first.
inline std::vector<Isa> row_test_isas() {
  std::vector<Isa> isas;
  for (int i = 0; i <= static_cast<int>(detect_isa()); ++i) isas.push_back(static_cast<Isa>(i));
  return isas;
}

/// `count` values uniform in [-scale, scale), a function of `seed`.
inline std::vector<float> random_values(int64_t count, uint64_t seed, float scale = 1) {
  std::vector<float> values(count);
  const RandomStream random{seed};
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(scale * (2 * random.uniform(i) - 1));
  }
  return values;
}

/// Element `index` of an array of `type`.
inline double read(const void* values, DType type, int64_t index) {
  return type == DType::f32 ? static_cast<const float*>(values)[index]
                            : to_float(static_cast<const bf16*>(values)[index]);
}

/// Rounds `value` to element `index` of an array of `type`.
inline void write(void* values, DType type, int64_t index, double value) {
  if (type == DType::f32) {
    static_cast<float*>(values)[index] = static_cast<float>(value);
  } else {
    static_cast<bf16*>(values)[index] = to_bf16(static_cast<float>(value));
  }
}

/// An array of either element type.
class Typed {
 public:
  Typed(DType type, const std::vector<float>& values)
      : type_(type), bytes_(values.size() * size_of(type)) {
    for (size_t i = 0; i < values.size(); ++i) write(bytes_.data(), type, i, values[i]);
  }
  Typed(DType type, int64_t count) : Typed(type, std::vector<float>(count, NAN)) {}

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }

  /// The elements, widened.
  std::vector<float> values() const {
    std::vector<float> result(bytes_.size() / size_of(type_));
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<float>(read(bytes_.data(), type_, i));
    }
    return result;
  }

 private:
  DType type_;
  std::vector<char> bytes_;
};

/// The bits of floats, so that -0 and 0 differ and a NaN equals itself.
inline std::vector<uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::copy_n(reinterpret_cast<const char*>(values.data()), values.size() * 4,
              reinterpret_cast<char*>(bits.data()));
  return bits;
}

/// Each element is within `relative` of the expected one, or within `absolute` of it.
inline void expect_close(const std::vector<float>& actual, const std::vector<float>& expected,
                         double relative, double absolute) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], absolute + relative * std::fabs(expected[i]))
        << "element " << i;
  }
}

/// The relative error of rounding once to `type`, with room for f32 arithmetic before it.
inline double rounding(DType type) {
  return type == DType::f32 ? 2e-6 : 1.0 / 128;
}

}  // namespace hone::kernels
