#pragma once

#include "hone/tensor/torch.h"

namespace hone::ops {

/// True where the CPU kernels compute an op on `tensor`; false on any other device and inside a
/// PlainScope, where the op's plain twin runs.
bool use_kernels(const at::Tensor& tensor);

/// While it lives, every op of this thread runs its plain twin: how tests compare the two.
class PlainScope {
 public:
  PlainScope();
  ~PlainScope();
  PlainScope(const PlainScope&) = delete;
  PlainScope& operator=(const PlainScope&) = delete;

 private:
  bool before_;
};

}  // namespace hone::ops
