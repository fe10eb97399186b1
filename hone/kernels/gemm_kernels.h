#pragma once

#include "hone/kernels/gemm.h"

/// What the instruction paths offer to gemm.cpp: pieces of the work that one thread does alone.
namespace hone::kernels {

/// A rectangle of C: rows [m_begin, m_end), columns [n_begin, n_end).
struct GemmRange {
  int64_t m_begin = 0, m_end = 0, n_begin = 0, n_end = 0;
};

/// The most columns of a range.
inline constexpr int64_t kMaxBlockRows = 256;

/// Rows of A or B that share one set of AMX tiles, and the bytes of one tile: 16 rows of 32 bf16.
inline constexpr int64_t kPanelRows = 32;
inline constexpr int64_t kTileBytes = 1024;

/// A product on its way through the tiles of AMX. One operand of a product of tiles must be pairs
/// along k, [16][16][2]; `pair_b` says that it is B, which is then paired block by block. The
/// panels of A from `first_tiled` on are in `a_tiles`, zero-padded, as [m / 16][k / 32] tiles
/// (paired if B is not); those before it are read where they lie. Sums run over `block_tiles` tiles
/// along k for all rows of a range before the next ones, so that a block of B stays in the cache.
struct TiledGemm {
  Gemm problem;
  bool pair_b = false;
  int64_t first_tiled = 0;
  char* a_tiles = nullptr;
  int64_t k_tiles = 0, block_tiles = 0;
};

/// The kernels of one instruction path; the two of TiledGemm are nullptr on paths without AMX.
struct GemmKernels {
  void (*dot_f32)(const Gemm&, const GemmRange&);
  void (*dot_bf16)(const Gemm&, const GemmRange&);
  void (*tile_a)(const TiledGemm&, int64_t panel);  // fills the panel's part of a_tiles
  void (*multiply_tiles)(const TiledGemm&, const GemmRange&);
  void (*transpose)(const Transpose&, const GemmRange&);  // rows are m, columns are n
  void (*narrow)(const float*, bf16*, int64_t count);
  void (*widen)(const bf16*, float*, int64_t count);
};

/// Memory of the calling thread, 64-byte aligned, that lives until its next call with this slot.
enum class Scratch { a_tiles, b_block, partial_sums };
char* thread_scratch(Scratch slot, int64_t bytes);

}  // namespace hone::kernels
