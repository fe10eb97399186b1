#pragma once

#include "hone/tensor/torch.h"

namespace hone::ops {

/// Cosine and sine of position * frequency, float32 [positions, rotary_dim / 2].
struct RopeTable {
  at::Tensor cosine, sine;
};

/// Rotary embedding (Su et al., 2104.09864) in Hugging Face's half-split form. x is [T, H * D] of
/// any stride between tokens, positions int32 [T]; the result is [T, H, D] of dtype `out`.
at::Tensor rope(const at::Tensor& x, int64_t head_dim, const at::Tensor& positions_T,
                const RopeTable& table, at::ScalarType out);

namespace plain {
at::Tensor rope(const at::Tensor& x, int64_t head_dim, const at::Tensor& positions_T,
                const RopeTable& table, at::ScalarType out);
}

}  // namespace hone::ops
