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

#include "hone/kernels/amx_tiles.h"

namespace hone::kernels::HONE_ISA {
namespace {

constexpr int64_t kCachedBytes = 3 << 19;  // of A and B that a second-level cache of 2 MB keeps

/// Where the four squares of a product go: rows `row_bytes` apart, a square to the right or below.
struct Squares {
  char* data;
  int64_t row_bytes, right_bytes, below_bytes;
};

/// Rows to prefetch: at each step along k, `lines` cache lines.
struct Ahead {
  const char* data;
  int64_t step_bytes, line_bytes, lines;
};

/// Rows [first, first + count) of the panel behind `tiles`.
inline Ahead next_panel(const Tiles& tiles, int64_t first, int64_t count) {
  const int64_t tile = kPanelRows / kSide + first / kSide;
  return {tiles.data + tile * tiles.tile_bytes + first % kSide * tiles.row_bytes, tiles.k_bytes,
          tiles.row_bytes, count};
}

/// kX tiles of x times kY tiles of y: the square (i, j) holds row i of x times rows j of y.
template <int kX, int kY>
inline void multiply(const Tiles& x, const Tiles& y, int64_t k_tiles, const Squares& out,
                     const Ahead& next) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const char *from_x = x.data, *from_y = y.data, *wanted = next.data;
  for (int64_t i = 0; i < k_tiles; ++i) {
    for (int64_t line = 0; line < next.lines; ++line) {
      __builtin_prefetch(wanted + line * next.line_bytes, 0, 2);
    }
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
    from_x += x.k_bytes;
    from_y += y.k_bytes;
    wanted += next.step_bytes;
  }
  char* below = out.data + out.below_bytes;
  _tile_stored(0, out.data, out.row_bytes);
  if constexpr (kY > 1) _tile_stored(1, out.data + out.right_bytes, out.row_bytes);
  if constexpr (kX > 1) _tile_stored(2, below, out.row_bytes);
  if constexpr (kX > 1 && kY > 1) _tile_stored(3, below + out.right_bytes, out.row_bytes);
}

/// Writes `rows` rows along m of a square of results to C, or adds them.
template <bool kAccumulate>
inline void write_rows(const Square& square, int64_t rows, __mmask16 columns, float* c,
                       int64_t c_stride) {
#pragma GCC unroll 16
  for (int64_t i = 0; i < rows; ++i, c += c_stride) {
    const Vec old = kAccumulate ? (Vec)_mm512_maskz_loadu_ps(columns, c) : Vec{};
    _mm512_mask_storeu_ps(c, columns, kAccumulate ? old + square[i] : square[i]);
  }
}

inline void write_square(const Gemm& problem, int64_t m, int64_t n, const Square& square) {
  const int64_t rows = problem.m - m < kSide ? problem.m - m : kSide;
  const __mmask16 columns = problem.n - n < kSide ? (1u << (problem.n - n)) - 1 : 0xffff;
  float* c = problem.c + m * problem.c_stride + n;
  if (problem.accumulate) {
    write_rows<true>(square, rows, columns, c, problem.c_stride);
  } else {
    write_rows<false>(square, rows, columns, c, problem.c_stride);
  }
}

/// A panel of A from row m.
Tiles tiles_of_a(const TiledGemm& tiled, int64_t m) {
  const Gemm& problem = tiled.problem;
  if (m / kPanelRows < tiled.first_tiled) {
    const bf16* a = static_cast<const bf16*>(problem.a) + m * problem.a_stride;
    const int64_t row_bytes = problem.a_stride * 2;
    return {reinterpret_cast<const char*>(a), row_bytes, kRowBytes, kSide * row_bytes};
  }
  const int64_t tile_bytes = tiled.k_tiles * kTileBytes;
  return {tiled.a_tiles + m / kSide * tile_bytes, kRowBytes, kTileBytes, tile_bytes};
}

/// The rows [begin, end) of B: where they lie if whole tiles lie there, else a padded copy.
Tiles tiles_of_b(const TiledGemm& tiled, int64_t begin, int64_t end) {
  const Gemm& problem = tiled.problem;
  const bf16* b = static_cast<const bf16*>(problem.b) + begin * problem.b_stride;
  if (!tiled.pair_b && (end - begin) % kSide == 0 && problem.k % kDepth == 0) {
    const int64_t row_bytes = problem.b_stride * 2;
    return {reinterpret_cast<const char*>(b), row_bytes, kRowBytes, kSide * row_bytes};
  }
  const int64_t tile_bytes = tiled.k_tiles * kTileBytes;
  const int64_t tile_rows = (end - begin + kSide - 1) / kSide;
  char* block = thread_scratch(Scratch::b_block, tile_rows * tile_bytes);
  make_tiles(b, problem.b_stride, end - begin, problem.k, tiled.pair_b, block);
  return {block, kRowBytes, kTileBytes, tile_bytes};
}

/// A panel of A times a panel of B: one, two or four squares of C.
struct Corner {
  const TiledGemm& tiled;
  Tiles a, b;
  int64_t m, n;
  Ahead next;

  template <int kM, int kN>
  void compute() const {
    const Gemm& problem = tiled.problem;
    const bool whole = m + kM * kSide <= problem.m && n + kN * kSide <= problem.n;
    if (tiled.pair_b && whole && !problem.accumulate) {
      float* c = problem.c + m * problem.c_stride + n;
      const int64_t row_bytes = problem.c_stride * 4;
      multiply<kM, kN>(a, b, tiled.k_tiles,
                       {reinterpret_cast<char*>(c), row_bytes, kRowBytes, kSide * row_bytes}, next);
      return;
    }
    alignas(64) Square squares[2][2];
    const Squares out{reinterpret_cast<char*>(squares), kRowBytes, kTileBytes, 2 * kTileBytes};
    if (tiled.pair_b) {
      multiply<kM, kN>(a, b, tiled.k_tiles, out, next);
    } else {
      multiply<kN, kM>(b, a, tiled.k_tiles, out, next);
    }
    for (int i = 0; i < kM; ++i) {
      for (int j = 0; j < kN; ++j) {
        Square& square = tiled.pair_b ? squares[i][j] : squares[j][i];
        if (!tiled.pair_b) transpose_square<kSide, Vec, IntVec>(square);
        write_square(problem, m + i * kSide, n + j * kSide, square);
      }
    }
  }

  void compute_any() const {
    const bool two_rows = tiled.problem.m - m > kSide, two_columns = tiled.problem.n - n > kSide;
    if (two_rows) {
      two_columns ? compute<2, 2>() : compute<2, 1>();
    } else {
      two_columns ? compute<1, 2>() : compute<1, 1>();
    }
  }
};

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
  const int64_t n_panels = (range.n_end - range.n_begin + kPanelRows - 1) / kPanelRows;
  TileState state;
  const Tiles block = tiles_of_b(tiled, range.n_begin, range.n_end);
  const int64_t bytes = (range.m_end - range.m_begin + n_panels * kPanelRows) * tiled.k_tiles * 64;
  for (int64_t m = range.m_begin; m < range.m_end; m += kPanelRows) {
    const Tiles a = tiles_of_a(tiled, m);
    for (int64_t i = 0; i < n_panels; ++i) {
      Tiles b = block;
      b.data += 2 * i * b.tile_bytes;
      // B where it lies comes from memory, and so does A, in equal shares, if it is too large.
      const int64_t share = bytes > kCachedBytes ? kPanelRows / n_panels : 0;
      const Ahead next = block.row_bytes != kRowBytes ? next_panel(b, 0, kPanelRows)
                                                      : next_panel(a, share * i, share);
      Corner{tiled, a, b, m, range.n_begin + i * kPanelRows, next}.compute_any();
    }
  }
}

}  // namespace hone::kernels::HONE_ISA

#endif
