#pragma once

#include "hone/tensor/parameter.h"

namespace hone::ops {

/// out[t] = scale * table[ids[t]] in float32; ids are int32 [T], table [V, D].
at::Tensor embedding(const at::Tensor& ids_T, const Parameter& table_VD, double scale);

namespace plain {
at::Tensor embedding(const at::Tensor& ids_T, const Parameter& table_VD, double scale);
}

}  // namespace hone::ops
