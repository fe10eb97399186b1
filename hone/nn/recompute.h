#pragma once

#include <functional>

#include "hone/tensor/torch.h"

namespace hone::nn {

/// y = segment(x), keeping only x for the backward, which runs the segment again (Chen et al.,
/// 1604.06174). The segment must be deterministic; the gradients equal those without it bit for
/// bit.
at::Tensor recompute(std::function<at::Tensor(const at::Tensor&)> segment, const at::Tensor& x);

}  // namespace hone::nn
