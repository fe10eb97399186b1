#pragma once

#include "hone/kernels/types.h"
#include "hone/tensor/torch.h"

namespace hone {

/// The kernels' element type of a tensor; any dtype but float32 and bfloat16 is a bug.
inline kernels::DType kernel_dtype(at::ScalarType type) {
  HONE_ASSERT(type == at::kFloat || type == at::kBFloat16, "dtype {}", c10::toString(type));
  return type == at::kFloat ? kernels::DType::f32 : kernels::DType::bf16;
}

/// A float32 tensor's data; the tensor must be contiguous and on the CPU.
inline float* float_data(const at::Tensor& tensor) {
  HONE_ASSERT(tensor.is_contiguous() && tensor.is_cpu(), "contiguous {} cpu {}",
              tensor.is_contiguous(), tensor.is_cpu());
  return tensor.mutable_data_ptr<float>();
}

}  // namespace hone
