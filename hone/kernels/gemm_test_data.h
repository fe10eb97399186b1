#pragma once

#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "hone/base/rng.h"
#include "hone/kernels/gemm.h"

/// Operands of one product for the tests of gemm.
namespace hone::kernels {

/// Every path of this machine, scalar first.
inline std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (int i = 0; i <= static_cast<int>(detect_isa()); ++i) isas.push_back(static_cast<Isa>(i));
  return isas;
}

/// Rows [first, first + count) of a contiguous matrix.
inline std::vector<float> rows_of(const std::vector<float>& matrix, int64_t first, int64_t count,
                                  int64_t columns) {
  return {matrix.begin() + first * columns, matrix.begin() + (first + count) * columns};
}

/// Owns A, B and C of a shape. Strides may exceed the row lengths by `gap`; each operand ends with
/// its last row, so that a sanitizer sees any read behind it. Gaps of A and B hold NaN.
class ProductData {
 public:
  explicit ProductData(const Gemm& shape, int64_t gap = 0)
      : problem(shape),
        a_(size(shape.m, shape.k, gap), NAN),
        b_(size(shape.n, shape.k, gap), NAN),
        c_(size(shape.m, shape.n, gap)) {
    problem.a_stride = problem.b_stride = shape.k + gap;
    problem.c_stride = shape.n + gap;
    store();
  }

  /// Sets each element of A, B and C to make(32 random bits).
  template <typename Make>
  void fill(const Make& make, uint64_t seed = 0) {
    const RandomStream random{seed};
    uint64_t draw = 0;
    for (int64_t m = 0; m < problem.m; ++m) {
      for (int64_t k = 0; k < problem.k; ++k)
        a_[m * problem.a_stride + k] = make(random.bits(draw++));
      for (int64_t n = 0; n < problem.n; ++n)
        c_[m * problem.c_stride + n] = make(random.bits(draw++));
    }
    for (int64_t n = 0; n < problem.n; ++n) {
      for (int64_t k = 0; k < problem.k; ++k)
        b_[n * problem.b_stride + k] = make(random.bits(draw++));
    }
    store();
  }

  /// Values of both signs and of magnitudes from 2^-4 to 2^3.
  void fill_random(uint64_t seed) {
    fill(
        [](uint32_t bits) {
          const float mantissa = 1 + static_cast<float>(bits >> 9) / (1 << 23);
          return std::ldexp(bits & 1 ? mantissa : -mantissa, static_cast<int>(bits >> 1 & 7) - 4);
        },
        seed);
  }

  void set_a(int64_t m, int64_t k, float value) {
    a_[m * problem.a_stride + k] = value;
    store();
  }
  void set_b(int64_t n, int64_t k, float value) {
    b_[n * problem.b_stride + k] = value;
    store();
  }

  /// C without the gaps.
  std::vector<float> result() const { return compact(c_); }

  /// What gemm_reference makes of C as it is now.
  std::vector<float> reference_result() const {
    std::vector<float> c = c_;
    Gemm twin = problem;
    twin.c = c.data();
    gemm_reference(twin);
    return compact(c);
  }

  /// Σ_k |a||b| (+ |c|) of every element: the scale of its rounding error.
  std::vector<float> magnitudes() const {
    ProductData absolute = *this;
    for (auto* values : {&absolute.a_, &absolute.b_, &absolute.c_}) {
      for (float& value : *values) value = std::fabs(value);
    }
    absolute.store();
    return absolute.reference_result();
  }

  /// C of a product with `count` rows of A from `first` and zeros or this C before it.
  std::vector<float> rows_alone(int64_t first, int64_t count, Isa isa) const {
    std::vector<float> c(c_.begin() + first * problem.c_stride, c_.end());
    Gemm part = problem;
    part.m = count;
    part.a = static_cast<const char*>(problem.a) + first * problem.a_stride * size_of(problem.type);
    part.c = c.data();
    gemm(part, isa);
    c.resize(size(count, problem.n, problem.c_stride - problem.n));
    std::vector<float> rows;
    for (int64_t m = 0; m < count; ++m) {
      rows.insert(rows.end(), c.begin() + m * problem.c_stride,
                  c.begin() + m * problem.c_stride + problem.n);
    }
    return rows;
  }

  ProductData(const ProductData& other)
      : problem(other.problem), a_(other.a_), b_(other.b_), c_(other.c_) {
    store();
  }

  Gemm problem;

 private:
  static int64_t size(int64_t rows, int64_t columns, int64_t gap) {
    return rows == 0 ? 0 : (rows - 1) * (columns + gap) + columns;
  }

  std::vector<float> compact(const std::vector<float>& c) const {
    std::vector<float> rows;
    for (int64_t m = 0; m < problem.m; ++m) {
      rows.insert(rows.end(), c.begin() + m * problem.c_stride,
                  c.begin() + m * problem.c_stride + problem.n);
    }
    return rows;
  }

  void store() {
    problem.a = a_.data();
    problem.b = b_.data();
    problem.c = c_.data();
    if (problem.type == DType::f32) return;
    for (auto [from, to] : {std::pair{&a_, &a_bf16_}, std::pair{&b_, &b_bf16_}}) {
      to->clear();
      for (float& value : *from) {
        to->push_back(to_bf16(value));
        value = to_float(to->back());
      }
    }
    problem.a = a_bf16_.data();
    problem.b = b_bf16_.data();
  }

  std::vector<float> a_, b_, c_;
  std::vector<bf16> a_bf16_, b_bf16_;
};

}  // namespace hone::kernels
