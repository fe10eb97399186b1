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

constexpr int64_t kCachedBytes = 5 << 18;  // of A that a second-level cache of 2 MB keeps

/// Four squares of sums of a product: where those of the blocks before along k are (nullptr: none),
/// and where to put the new ones: rows `row_bytes` apart, a square to the right or below.
struct Sums {
  const Square (*from)[2];
  char* to;
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
inline void multiply(const Tiles& x, const Tiles& y, int64_t k_tiles, const Sums& sums,
                     const Ahead& next) {
  if (sums.from) {
    _tile_loadd(0, sums.from[0][0], kRowBytes);
    _tile_loadd(1, sums.from[0][1], kRowBytes);
    _tile_loadd(2, sums.from[1][0], kRowBytes);
    _tile_loadd(3, sums.from[1][1], kRowBytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
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
  char* below = sums.to + sums.below_bytes;
  _tile_stored(0, sums.to, sums.row_bytes);
  if constexpr (kY > 1) _tile_stored(1, sums.to + sums.right_bytes, sums.row_bytes);
  if constexpr (kX > 1) _tile_stored(2, below, sums.row_bytes);
  if constexpr (kX > 1 && kY > 1) _tile_stored(3, below + sums.right_bytes, sums.row_bytes);
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

/// The tiles along k that are summed before the next rows come.
struct Depth {
  int64_t begin, end;
};

/// A panel of A from row m.
Tiles tiles_of_a(const TiledGemm& tiled, int64_t m, int64_t k_tile) {
  const Gemm& problem = tiled.problem;
  if (m / kPanelRows < tiled.first_tiled) {
    const bf16* a = static_cast<const bf16*>(problem.a) + m * problem.a_stride + k_tile * kDepth;
    const int64_t row_bytes = problem.a_stride * 2;
    return {reinterpret_cast<const char*>(a), row_bytes, kRowBytes, kSide * row_bytes};
  }
  const int64_t tile_bytes = tiled.k_tiles * kTileBytes;
  const char* tiles = tiled.a_tiles + m / kSide * tile_bytes + k_tile * kTileBytes;
  return {tiles, kRowBytes, kTileBytes, tile_bytes};
}

/// The rows [begin, end) of B: where they lie if whole tiles lie there, else a padded copy.
Tiles tiles_of_b(const TiledGemm& tiled, const GemmRange& range, const Depth& depth) {
  const Gemm& problem = tiled.problem;
  const int64_t rows = range.n_end - range.n_begin, k = depth.begin * kDepth;
  const bf16* b = static_cast<const bf16*>(problem.b) + range.n_begin * problem.b_stride + k;
  if (!tiled.pair_b && rows % kSide == 0 && problem.k % kDepth == 0) {
    const int64_t row_bytes = problem.b_stride * 2;
    return {reinterpret_cast<const char*>(b), row_bytes, kRowBytes, kSide * row_bytes};
  }
  const int64_t tile_bytes = (depth.end - depth.begin) * kTileBytes;
  char* block = thread_scratch(Scratch::b_block, (rows + kSide - 1) / kSide * tile_bytes);
  const int64_t k_end = depth.end * kDepth < problem.k ? depth.end * kDepth : problem.k;
  make_tiles(b, problem.b_stride, rows, k_end - k, tiled.pair_b, block);
  return {block, kRowBytes, kTileBytes, tile_bytes};
}

/// A panel of A times a panel of B: one, two or four squares of C.
struct Corner {
  const TiledGemm& tiled;
  const Depth& depth;
  Tiles a, b;
  int64_t m, n;
  Square (*partial)[2];  // sums over the blocks along k before the last
  Ahead next;

  template <int kM, int kN>
  void compute() const {
    const Gemm& problem = tiled.problem;
    const bool whole = m + kM * kSide <= problem.m && n + kN * kSide <= problem.n;
    const bool is_last = depth.end == tiled.k_tiles;
    if (is_last && tiled.pair_b && whole && !problem.accumulate) {
      float* c = problem.c + m * problem.c_stride + n;
      const int64_t row_bytes = problem.c_stride * 4;
      sum<kM, kN>(reinterpret_cast<char*>(c), row_bytes, kRowBytes, kSide * row_bytes);
      return;
    }
    alignas(64) Square last[2][2];
    Square(*squares)[2] = is_last ? last : partial;
    sum<kM, kN>(reinterpret_cast<char*>(squares), kRowBytes, kTileBytes, 2 * kTileBytes);
    if (!is_last) return;
    for (int i = 0; i < kM; ++i) {
      for (int j = 0; j < kN; ++j) {
        Square& square = tiled.pair_b ? squares[i][j] : squares[j][i];
        if (!tiled.pair_b) transpose_square<kSide, Vec, IntVec>(square);
        write_square(problem, m + i * kSide, n + j * kSide, square);
      }
    }
  }

  template <int kM, int kN>
  inline void sum(char* to, int64_t row_bytes, int64_t right_bytes, int64_t below_bytes) const {
    const Sums sums{depth.begin == 0 ? nullptr : partial, to, row_bytes, right_bytes, below_bytes};
    if (tiled.pair_b) {
      multiply<kM, kN>(a, b, depth.end - depth.begin, sums, next);
    } else {
      multiply<kN, kM>(b, a, depth.end - depth.begin, sums, next);
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

void multiply_block(const TiledGemm& tiled, const GemmRange& range, const Depth& depth,
                    Square (*partial)[2]) {
  const int64_t n_panels = (range.n_end - range.n_begin + kPanelRows - 1) / kPanelRows;
  const Tiles block = tiles_of_b(tiled, range, depth);
  const int64_t bytes = (range.m_end - range.m_begin) * (depth.end - depth.begin) * kRowBytes;
  for (int64_t m = range.m_begin; m < range.m_end; m += kPanelRows) {
    const Tiles a = tiles_of_a(tiled, m, depth.begin);
    for (int64_t i = 0; i < n_panels; ++i, partial += 2) {
      Tiles b = block;
      b.data += 2 * i * b.tile_bytes;
      // The next panel of A is fetched in equal shares if the cache does not keep A.
      const int64_t share = bytes > kCachedBytes ? kPanelRows / n_panels : 0;
      const Ahead next = next_panel(a, share * i, share);
      Corner{tiled, depth, a, b, m, range.n_begin + i * kPanelRows, partial, next}.compute_any();
    }
  }
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
  const int64_t panels = ((range.m_end - range.m_begin + kPanelRows - 1) / kPanelRows) *
                         ((range.n_end - range.n_begin + kPanelRows - 1) / kPanelRows);
  Square(*partial)[2] = nullptr;
  if (tiled.k_tiles > tiled.block_tiles) {
    partial = reinterpret_cast<Square(*)[2]>(
        thread_scratch(Scratch::partial_sums, panels * 4 * kTileBytes));
  }
  TileState state;
  for (int64_t k = 0; k < tiled.k_tiles; k += tiled.block_tiles) {
    const int64_t end =
        k + tiled.block_tiles < tiled.k_tiles ? k + tiled.block_tiles : tiled.k_tiles;
    multiply_block(tiled, range, {k, end}, partial);
  }
}

}  // namespace hone::kernels::HONE_ISA

#endif
