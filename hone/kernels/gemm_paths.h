#pragma once

#include "hone/kernels/gemm_kernels.h"

/// The pieces that the *_isa.cpp files of gemm give each other, once per instruction path.
namespace hone::kernels::HONE_ISA {

/// See GemmKernels: the members of these names.
void tile_a(const TiledGemm& tiled, int64_t panel);
void multiply_tiles(const TiledGemm& tiled, const GemmRange& range);
void transpose(const Transpose& problem, const GemmRange& range);
void narrow(const float* in, bf16* out, int64_t count);
void widen(const bf16* in, float* out, int64_t count);

}  // namespace hone::kernels::HONE_ISA
