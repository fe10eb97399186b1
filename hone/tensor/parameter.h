#pragma once

#include <string>

#include "hone/tensor/torch.h"

namespace hone {

/// One trainable tensor. Its gradient is summed in float32 by the backward of the ops that use it,
/// straight into `grad` (the "main gradient" of Megatron-LM), so that bf16 weights lose nothing
/// over micro-batches; `value` itself never gets an autograd gradient.
struct Parameter {
  std::string name;
  at::Tensor value;  // requires grad where trainable
  at::Tensor grad;   // float32, shape of value; undefined until allocate_grad()

  bool trainable() const { return value.requires_grad(); }
  /// Gives `grad` zeros where the parameter is trainable.
  void allocate_grad();
  /// grad += gradient, whatever its dtype; nothing where grad is undefined.
  void add_grad(const at::Tensor& gradient) const;
};

/// The parameter as a tensor for plain operators: autograd's gradient of the result is added to
/// `parameter.grad`. The result shares storage with `value`.
at::Tensor use(const Parameter& parameter);

}  // namespace hone
