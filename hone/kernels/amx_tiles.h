#pragma once

#include <immintrin.h>

#include "hone/kernels/square.h"
#include "hone/kernels/vec.h"

/// Tiles of AMX and how to fill them with bf16, for the amx path of *_isa.cpp files only.
namespace hone::kernels::HONE_ISA {

inline constexpr int64_t kSide = 16;   // rows of a tile, and columns of f32
inline constexpr int64_t kDepth = 32;  // bf16 of a tile row
inline constexpr int64_t kRowBytes = 64;
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

/// `rows` rows of k elements as zero-padded tiles [rows / 16][k / 32].
inline void make_tiles(const bf16* data, int64_t stride, int64_t rows, int64_t k, bool pairs,
                       char* tiles) {
  for (int64_t row = 0; row < rows; row += kSide) {
    for (int64_t depth = 0; depth < k; depth += kDepth) {
      make_tile(data + row * stride + depth, stride, rows - row, k - depth, pairs, tiles);
      tiles += kTileBytes;
    }
  }
  asm volatile("" ::: "memory");  // g++ 12 does not see that tile loads read memory
}

}  // namespace hone::kernels::HONE_ISA
