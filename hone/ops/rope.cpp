#include "hone/ops/rope.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>

#include "hone/kernels/pointwise.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Turns x ([T, heads, head_dim], heads contiguous) into a fresh tensor of dtype `out`.
at::Tensor turn(const at::Tensor& x, int64_t head_dim, const at::Tensor& positions,
                const RopeTable& table, at::ScalarType out, bool inverse) {
  const int64_t tokens = x.size(0), width = x.numel() / std::max<int64_t>(tokens, 1);
  at::Tensor y =
      at::empty({tokens, width / head_dim, head_dim}, x.options().dtype(out).requires_grad(false));
  kernels::rope({.tokens = tokens,
                 .heads = width / head_dim,
                 .head_dim = head_dim,
                 .rotary_dim = 2 * table.cosine.size(1),
                 .positions = positions.const_data_ptr<int32_t>(),
                 .cosine = float_data(table.cosine),
                 .sine = float_data(table.sine),
                 .inverse = inverse,
                 .x_type = kernel_dtype(x.scalar_type()),
                 .x = x.const_data_ptr(),
                 .x_stride = x.stride(0),
                 .y_type = kernel_dtype(out),
                 .y = y.mutable_data_ptr(),
                 .y_stride = width});
  return y;
}

struct RopeFunction : torch::autograd::Function<RopeFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, int64_t head_dim,
                            const at::Tensor& positions, const RopeTable& table,
                            at::ScalarType out) {
    context->save_for_backward({positions, table.cosine, table.sine});
    context->saved_data["type"] = static_cast<int64_t>(x.scalar_type());
    return turn(x, head_dim, positions, table, out, false);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor grad = gradients[0].contiguous();
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    const at::Tensor grad_x =
        turn(grad, grad.size(2), saved[0], {saved[1], saved[2]}, type, true).flatten(1);
    return {grad_x, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor plain::rope(const at::Tensor& x, int64_t head_dim, const at::Tensor& positions_T,
                       const RopeTable& table, at::ScalarType out) {
  const at::Tensor x_THD = x.to(at::kFloat).unflatten(1, {-1, head_dim});
  const at::Tensor cosine = at::index_select(table.cosine, 0, positions_T).unsqueeze(1);
  const at::Tensor sine = at::index_select(table.sine, 0, positions_T).unsqueeze(1);
  const int64_t half = table.cosine.size(1);
  const at::Tensor low = x_THD.narrow(2, 0, half), high = x_THD.narrow(2, half, half);
  const at::Tensor rest = x_THD.narrow(2, 2 * half, head_dim - 2 * half);
  return at::cat({low * cosine - high * sine, high * cosine + low * sine, rest}, 2).to(out);
}

at::Tensor rope(const at::Tensor& x, int64_t head_dim, const at::Tensor& positions_T,
                const RopeTable& table, at::ScalarType out) {
  HONE_ASSERT(x.dim() == 2 && x.size(1) % head_dim == 0 && x.stride(1) == 1,
              "rope on {} columns of heads of {}", x.size(1), head_dim);
  if (!use_kernels(x)) return plain::rope(x, head_dim, positions_T, table, out);
  return RopeFunction::apply(x, head_dim, positions_T, table, out);
}

}  // namespace hone::ops
