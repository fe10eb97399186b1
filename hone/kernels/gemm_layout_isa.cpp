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

template <typename Squares>
void transpose_range(const Transpose& problem, const GemmRange& range) {
  using Value = typename Squares::Value;
  using Row = typename Squares::Row;
  constexpr int kSide = Squares::kSide;
  const Value* in = static_cast<const Value*>(problem.in);
  Value* out = static_cast<Value*>(problem.out);
  for (int64_t r = range.m_begin; r < range.m_end; r += kSide) {
    for (int64_t c = range.n_begin; c < range.n_end; c += kSide) {
      const Value* from = in + r * problem.in_stride + c;
      Value* to = out + c * problem.out_stride + r;
      if (r + kSide <= range.m_end && c + kSide <= range.n_end) {
        Row rows[kSide];
        for (int i = 0; i < kSide; ++i) {
          __builtin_memcpy(&rows[i], from + i * problem.in_stride, sizeof(Row));
        }
        transpose_square<kSide, Row, Row>(rows);
        for (int i = 0; i < kSide; ++i) {
          __builtin_memcpy(to + i * problem.out_stride, &rows[i], sizeof(Row));
        }
        continue;
      }
      for (int64_t i = 0; i < kSide && r + i < range.m_end; ++i) {
        for (int64_t j = 0; j < kSide && c + j < range.n_end; ++j) {
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
