#pragma once

#include "hone/tensor/parameter.h"

namespace hone::ops {

struct RmsNormOptions {
  double eps = 1e-5;
  double weight_offset = 0;  // 1 for Gemma, whose weights are stored around zero
};

/// y = x / sqrt(mean(x²) + eps) * (weight + weight_offset) over the last dimension (Zhang &
/// Sennrich, 1910.07467). x is float32 [..., D]; y has the same shape and dtype `out`.
at::Tensor rms_norm(const at::Tensor& x, const Parameter& weight, const RmsNormOptions& options,
                    at::ScalarType out);

namespace plain {
at::Tensor rms_norm(const at::Tensor& x, const Parameter& weight, const RmsNormOptions& options,
                    at::ScalarType out);
}

}  // namespace hone::ops
