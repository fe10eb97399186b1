#include "hone/kernels/gemm_paths.h"

#if !defined(HONE_ISA_amx)

namespace hone::kernels::HONE_ISA {

void tile_a(const TiledGemm&, int64_t) {
  __builtin_trap();
}
void multiply_tiles(const TiledGemm&, const GemmRange&) {
  __builtin_trap();
}

}  // namespace hone::kernels::HONE_ISA

#else

#include <immintrin.h>

#include "hone/kernels/square.h"
#include "hone/kernels/vec.h"

namespace hone::kernels::HONE_ISA {
namespace {

constexpr int64_t kSide = 16;   // rows of a tile, and columns of f32
constexpr int64_t kDepth = 32;  // bf16 of a tile row
typedef Vec Square[kSide];

/// All eight tiles as 16 rows of 64 bytes, for the life of one task.
class TileState {
 public:
  TileState() {
    struct alignas(64) Config {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } config;
    asm volatile("" ::"r"(&config) : "memory");  // g++ 12 does not see that the next line reads it
    _tile_loadconfig(&config);
  }
  ~TileState() { _tile_release(); }
};

/// Tiles of one operand: 16 rows `row_bytes` apart, the next 32 along k `k_bytes` on, the next 16
/// rows `tile_bytes` on.
struct Tiles {
  const char* data;
  int64_t row_bytes, k_bytes, tile_bytes;
};

/// 16 rows of 32 elements at p, as one tile; `rows` and `depth` of them exist, the rest is zero.
inline __attribute__((always_inline)) void make_tile(const bf16* p, int64_t stride, int64_t rows,
                                                     int64_t depth, bool pairs, char* tile) {
  const __mmask32 mask = depth >= kDepth ? ~0u : (1u << depth) - 1;
  Square square;
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) {
    square[i] = (Vec)_mm512_maskz_loadu_epi16(i < rows ? mask : 0, p + i * stride);
  }
  if (pairs) transpose_square<kSide, Vec, IntVec>(square);
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) _mm512_store_ps(tile + i * 64, square[i]);
}

/// The rows [begin, end) of a row-major operand as tiles [rows / 16][k / 32].
void make_tiles(const bf16* data, int64_t stride, int64_t rows, int64_t k, bool pairs,
                char* tiles) {
  for (int64_t row = 0; row < rows; row += kSide) {
    for (int64_t depth = 0; depth < k; depth += kDepth) {
      make_tile(data + row * stride + depth, stride, rows - row, k - depth, pairs, tiles);
      tiles += kTileBytes;
    }
  }
}

/// out[i][j] = tile i of x times tile j of y, one row of y's rows per column.
template <int kX, int kY>
void multiply(const Tiles& x, const Tiles& y, int64_t k_tiles, Square (&out)[2][2]) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const char *from_x = x.data, *from_y = y.data;
  for (int64_t i = 0; i < k_tiles; ++i, from_x += x.k_bytes, from_y += y.k_bytes) {
    _tile_loadd(4, from_x, x.row_bytes);
    _tile_loadd(6, from_y, y.row_bytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kX > 1) {
      _tile_loadd(5, from_x + x.tile_bytes, x.row_bytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kY > 1) {
      _tile_loadd(7, from_y + y.tile_bytes, y.row_bytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kX > 1 && kY > 1) _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, out[0][0], 64);
  if constexpr (kY > 1) _tile_stored(1, out[0][1], 64);
  if constexpr (kX > 1) _tile_stored(2, out[1][0], 64);
  if constexpr (kX > 1 && kY > 1) _tile_stored(3, out[1][1], 64);
}

void multiply(const Tiles& x, int64_t x_rows, const Tiles& y, int64_t y_rows, int64_t k_tiles,
              Square (&out)[2][2]) {
  if (x_rows > kSide) {
    y_rows > kSide ? multiply<2, 2>(x, y, k_tiles, out) : multiply<2, 1>(x, y, k_tiles, out);
  } else {
    y_rows > kSide ? multiply<1, 2>(x, y, k_tiles, out) : multiply<1, 1>(x, y, k_tiles, out);
  }
}

/// Writes a square of results, rows along m, to where it lies in C.
void write_square(const Gemm& problem, int64_t m, int64_t n, const Square& square) {
  const int64_t rows = problem.m - m < kSide ? problem.m - m : kSide;
  const int64_t columns = problem.n - n < kSide ? problem.n - n : kSide;
  const __mmask16 mask = (1u << columns) - 1;
  float* c = problem.c + m * problem.c_stride + n;
  for (int64_t i = 0; i < rows; ++i, c += problem.c_stride) {
    const Vec old = problem.accumulate ? (Vec)_mm512_maskz_loadu_ps(mask, c) : Vec{};
    _mm512_mask_storeu_ps(c, mask, problem.accumulate ? old + square[i] : square[i]);
  }
}

/// The panel of B from row n: where it lies if whole tiles lie there, else a padded copy.
Tiles tiles_of_b(const TiledGemm& tiled, int64_t n, int64_t rows) {
  const Gemm& problem = tiled.problem;
  const bf16* b = static_cast<const bf16*>(problem.b) + n * problem.b_stride;
  if (!tiled.pair_b && rows == kPanelRows && problem.k % kDepth == 0) {
    const int64_t row_bytes = problem.b_stride * 2;
    return {reinterpret_cast<const char*>(b), row_bytes, kDepth * 2, kSide * row_bytes};
  }
  const int64_t tile_bytes = tiled.k_tiles * kTileBytes;
  char* panel = thread_scratch(Scratch::b_panel, 2 * tile_bytes);
  make_tiles(b, problem.b_stride, rows, problem.k, tiled.pair_b, panel);
  return {panel, 64, kTileBytes, tile_bytes};
}

}  // namespace

void tile_a(const TiledGemm& tiled, int64_t panel) {
  const Gemm& problem = tiled.problem;
  const int64_t m = panel * kPanelRows;
  const bf16* a = static_cast<const bf16*>(problem.a) + m * problem.a_stride;
  const int64_t rows = problem.m - m < kPanelRows ? problem.m - m : kPanelRows;
  char* tiles = tiled.a_tiles + panel * 2 * tiled.k_tiles * kTileBytes;
  make_tiles(a, problem.a_stride, rows, problem.k, !tiled.pair_b, tiles);
}

void multiply_tiles(const TiledGemm& tiled, const GemmRange& range) {
  const int64_t tile_bytes = tiled.k_tiles * kTileBytes;
  TileState state;
  alignas(64) Square out[2][2];
  for (int64_t n = range.n_begin; n < range.n_end; n += kPanelRows) {
    const int64_t n_rows = range.n_end - n < kPanelRows ? range.n_end - n : kPanelRows;
    const Tiles b = tiles_of_b(tiled, n, n_rows);
    for (int64_t m = range.m_begin; m < range.m_end; m += kPanelRows) {
      const int64_t m_rows = range.m_end - m < kPanelRows ? range.m_end - m : kPanelRows;
      const Tiles a{tiled.a_tiles + m / kSide * tile_bytes, 64, kTileBytes, tile_bytes};
      if (tiled.pair_b) {
        multiply(a, m_rows, b, n_rows, tiled.k_tiles, out);
      } else {
        multiply(b, n_rows, a, m_rows, tiled.k_tiles, out);
      }
      for (int64_t i = 0; i * kSide < m_rows; ++i) {
        for (int64_t j = 0; j * kSide < n_rows; ++j) {
          Square& square = tiled.pair_b ? out[i][j] : out[j][i];
          if (!tiled.pair_b) transpose_square<kSide, Vec, IntVec>(square);
          write_square(tiled.problem, m + i * kSide, n + j * kSide, square);
        }
      }
    }
  }
}

}  // namespace hone::kernels::HONE_ISA

#endif
