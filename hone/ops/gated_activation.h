#pragma once

#include "hone/kernels/pointwise.h"
#include "hone/tensor/torch.h"

namespace hone::ops {

using kernels::Activation;

/// y = activation(gate) * up (Shazeer, 2002.05202). gate_up is float32 [T, 2F], gate first; y is
/// [T, F] of dtype `out`.
at::Tensor gated_activation(const at::Tensor& gate_up_T2F, Activation activation,
                            at::ScalarType out);

namespace plain {
at::Tensor gated_activation(const at::Tensor& gate_up_T2F, Activation activation,
                            at::ScalarType out);
}

}  // namespace hone::ops
