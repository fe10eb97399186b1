#include <immintrin.h>

#include "hone/kernels/gemm_kernels.h"
#include "hone/kernels/gemm_paths.h"

/// Dot products of rows with lanes along k: the whole matrix product on paths without AMX, and the
/// f32 one everywhere. The order of additions is fixed by k alone.
namespace hone::kernels::HONE_ISA {
namespace {

#if defined(HONE_ISA_scalar)
constexpr int kWidth = 4;
#elif defined(HONE_ISA_avx2)
constexpr int kWidth = 8;
#else
constexpr int kWidth = 16;
#endif
typedef float Lanes __attribute__((vector_size(4 * kWidth)));
typedef uint32_t Words __attribute__((vector_size(4 * kWidth)));
typedef float Quad __attribute__((vector_size(16)));

/// Bytes of a row that are summed at once, so that the rows at hand fit the first-level cache.
constexpr int64_t kBlockRowBytes = 3072;

template <typename T>
inline Lanes load_whole(const T* p) {
  Lanes lanes;
  __builtin_memcpy(&lanes, p, sizeof lanes);
  return lanes;
}

/// `count` elements at p, zeros behind them; less than a whole vector.
template <typename T>
inline Lanes load_head(const T* p, int64_t count) {
#if defined(__AVX512BW__)
  if constexpr (sizeof(T) == 4) return _mm512_maskz_loadu_ps((1u << count) - 1, p);
  return (Lanes)_mm512_maskz_loadu_epi16((1u << count) - 1, p);
#else
  Lanes lanes{};
  __builtin_memcpy(&lanes, p, count * sizeof(T));
  return lanes;
#endif
}

/// How kStep elements along k enter the accumulators.
struct F32 {
  using Value = float;
  using Packet = Lanes;
  static constexpr int kStep = kWidth;
  static constexpr int kRows = kWidth == 16 ? 6 : 2;
  static Packet unpack(Lanes lanes) { return lanes; }
  static Lanes multiply_add(Lanes sum, Packet a, Packet b) { return sum + a * b; }
};

struct Bf16 {
  using Value = bf16;
  static constexpr int kStep = 2 * kWidth;
#if defined(__AVX512BF16__)
  using Packet = __m512bh;
  static constexpr int kRows = 6;
  static Packet unpack(Lanes lanes) {
    return (__m512bh)lanes;
  }
  static Lanes multiply_add(Lanes sum, Packet a, Packet b) {
    return _mm512_dpbf16_ps(sum, a, b);
  }
#else
  struct Packet {
    Lanes even, odd;
  };
  static constexpr int kRows = kWidth == 16 ? 4 : 2;
  static Packet unpack(Lanes lanes) {
    const Words pairs = (Words)lanes;
    return {(Lanes)(pairs << 16), (Lanes)(pairs & 0xffff0000u)};
  }
  static Lanes multiply_add(Lanes sum, Packet a, Packet b) {
    sum += a.even * b.even;
    return sum + a.odd * b.odd;
  }
#endif
};

/// The halves of x and of y added, side by side; kParts runs of lanes are treated alike.
template <int kParts>
inline Lanes fold(Lanes x, Lanes y) {
  constexpr int kHalf = kWidth / kParts / 2;
  Words low, high;
  for (int i = 0; i < kWidth; ++i) {
    const int part = i / kHalf, lane = i % kHalf;
    low[i] = part * 2 * kHalf + lane;
    high[i] = low[i] + kHalf;
  }
  return __builtin_shuffle(x, y, low) + __builtin_shuffle(x, y, high);
}

/// The sums of the lanes of four vectors; each is the same tree: halves onto halves.
inline Quad sum_lanes(Lanes x, Lanes y, Lanes z, Lanes w) {
  Lanes sums = fold<2>(fold<1>(x, y), fold<1>(z, w));
  if constexpr (kWidth >= 8) sums = fold<4>(sums, sums);
  if constexpr (kWidth >= 16) sums = fold<8>(sums, sums);
  return Quad{sums[0], sums[1], sums[2], sums[3]};
}

/// Adds the dot products of kRows rows of A with kColumns rows of B over k to corner.c.
template <typename Element, int kRows, int kColumns>
void dot_corner(const Gemm& corner) {
  using Value = typename Element::Value;
  const Value* a = static_cast<const Value*>(corner.a);
  const Value* b = static_cast<const Value*>(corner.b);
  Lanes sums[kRows][4] = {};
  const auto step = [&](const auto& load) __attribute__((always_inline)) {
    typename Element::Packet rows[kRows];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) rows[i] = Element::unpack(load(a + i * corner.a_stride));
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const auto column = Element::unpack(load(b + j * corner.b_stride));
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        sums[i][j] = Element::multiply_add(sums[i][j], rows[i], column);
      }
    }
    a += Element::kStep;
    b += Element::kStep;
  };
  int64_t left = corner.k;
  for (; left >= Element::kStep; left -= Element::kStep) step(load_whole<Value>);
  if (left > 0) step([&](const Value* p) { return load_head(p, left); });
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
    const Quad quad = sum_lanes(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    float* c = corner.c + i * corner.c_stride;
    for (int j = 0; j < kColumns; ++j) c[j] += quad[j];
  }
}

/// kRows rows of C over the columns of `range`: block by block along k, four columns at a time.
template <typename Element, int kRows>
void dot_rows(const Gemm& problem, int64_t row, const GemmRange& range) {
  using Value = typename Element::Value;
  constexpr int64_t kBlock = kBlockRowBytes / sizeof(Value);
  const int64_t columns = range.n_end - range.n_begin;
  float sums[kRows][kMaxBlockRows] = {};
  Gemm corner = problem;
  corner.c_stride = kMaxBlockRows;
  for (int64_t k = 0; k < problem.k; k += kBlock) {
    corner.k = problem.k - k < kBlock ? problem.k - k : kBlock;
    corner.a = static_cast<const Value*>(problem.a) + row * problem.a_stride + k;
    for (int64_t n = 0; n < columns;) {
      corner.b = static_cast<const Value*>(problem.b) + (range.n_begin + n) * problem.b_stride + k;
      corner.c = sums[0] + n;
      if (columns - n >= 4) {
        dot_corner<Element, kRows, 4>(corner);
        n += 4;
      } else {
        dot_corner<Element, kRows, 1>(corner);
        n += 1;
      }
    }
  }
  for (int64_t i = 0; i < kRows; ++i) {
    float* c = problem.c + (row + i) * problem.c_stride + range.n_begin;
    for (int64_t n = 0; n < columns; ++n)
      c[n] = problem.accumulate ? c[n] + sums[i][n] : sums[i][n];
  }
}

template <typename Element>
void dot(const Gemm& problem, const GemmRange& range) {
  int64_t row = range.m_begin;
  const auto rows = [&]<int kRows>() {
    for (; row + kRows <= range.m_end; row += kRows) dot_rows<Element, kRows>(problem, row, range);
  };
  rows.template operator()<Element::kRows>();
  rows.template operator()<4>();
  rows.template operator()<2>();
  rows.template operator()<1>();
}

}  // namespace

const GemmKernels& gemm_kernels() {
  static constexpr GemmKernels kernels{dot<F32>,  dot<Bf16>, tile_a, multiply_tiles,
                                       transpose, narrow,    widen};
  return kernels;
}

}  // namespace hone::kernels::HONE_ISA
