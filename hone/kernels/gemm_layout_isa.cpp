#include "hone/kernels/gemm_paths.h"
#include "hone/kernels/square.h"
#include "hone/kernels/vec.h"

namespace hone::kernels::HONE_ISA {
namespace {

#if defined(HONE_ISA_scalar)
constexpr int kBytes = 16;
#elif defined(HONE_ISA_avx2)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 64;
#endif
struct Squares32 {
  using Value = uint32_t;
  typedef uint32_t Row __attribute__((vector_size(kBytes)));
  static constexpr int kSide = kBytes / 4;
};
struct Squares16 {
  using Value = uint16_t;
  static constexpr int kSide = kBytes == 16 ? 8 : 16;
  typedef uint16_t Row __attribute__((vector_size(2 * kSide)));
};

/// Transposes kLine x kLine elements, by way of the first-level cache: whole lines are read, and
/// whole lines written.
template <typename Squares, int kLine = 64 / sizeof(typename Squares::Value)>
void transpose_lines(const typename Squares::Value* in, int64_t in_stride,
                     typename Squares::Value* out, int64_t out_stride) {
  using Row = typename Squares::Row;
  constexpr int kSide = Squares::kSide;
  alignas(64) typename Squares::Value lines[kLine][kLine];
  for (int r = 0; r < kLine; r += kSide) {
    for (int c = 0; c < kLine; c += kSide) {
      Row rows[kSide];
      for (int i = 0; i < kSide; ++i) {
        __builtin_memcpy(&rows[i], in + (r + i) * in_stride + c, sizeof(Row));
      }
      transpose_square<kSide, Row, Row>(rows);
      for (int i = 0; i < kSide; ++i) __builtin_memcpy(&lines[c + i][r], &rows[i], sizeof(Row));
    }
  }
  for (int i = 0; i < kLine; ++i) __builtin_memcpy(out + i * out_stride, lines[i], 64);
}

template <typename Squares>
void transpose_range(const Transpose& problem, const GemmRange& range) {
  using Value = typename Squares::Value;
  constexpr int64_t kLine = 64 / sizeof(Value);
  for (int64_t r = range.m_begin; r < range.m_end; r += kLine) {
    for (int64_t c = range.n_begin; c < range.n_end; c += kLine) {
      const Value* from = static_cast<const Value*>(problem.in) + r * problem.in_stride + c;
      Value* to = static_cast<Value*>(problem.out) + c * problem.out_stride + r;
      if (r + kLine <= range.m_end && c + kLine <= range.n_end) {
        transpose_lines<Squares>(from, problem.in_stride, to, problem.out_stride);
        continue;
      }
      for (int64_t i = 0; i < kLine && r + i < range.m_end; ++i) {
        for (int64_t j = 0; j < kLine && c + j < range.n_end; ++j) {
          to[j * problem.out_stride + i] = from[i * problem.in_stride + j];
        }
      }
    }
  }
}

template <typename From, typename To>
void convert_all(const From* in, To* out, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, load(in + i));
  for (; i < count; ++i) {
    if constexpr (sizeof(To) == 2) {
      out[i] = to_bf16(in[i]);
    } else {
      out[i] = to_float(in[i]);
    }
  }
}

}  // namespace

void transpose(const Transpose& problem, const GemmRange& range) {
  if (problem.type == DType::f32) {
    transpose_range<Squares32>(problem, range);
  } else {
    transpose_range<Squares16>(problem, range);
  }
}

void narrow(const float* in, bf16* out, int64_t count) {
  convert_all(in, out, count);
}

void widen(const bf16* in, float* out, int64_t count) {
  convert_all(in, out, count);
}

}  // namespace hone::kernels::HONE_ISA
