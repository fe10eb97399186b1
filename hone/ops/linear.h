#pragma once

#include "hone/tensor/parameter.h"

namespace hone::ops {

/// y[t][n] = Σ_k x[t][k] * weight[n][k] + bias[n] in float32; x is [T, K] of the weight's dtype.
/// `bias` may be null. Backward rounds the gradient of y to the weight's dtype, as the forward
/// does with x, and adds to the parameters' float32 gradients.
at::Tensor linear(const at::Tensor& x_TK, const Parameter& weight_NK, const Parameter* bias_N);

namespace plain {
at::Tensor linear(const at::Tensor& x_TK, const Parameter& weight_NK, const Parameter* bias_N);
}

}  // namespace hone::ops
