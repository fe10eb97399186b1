#include "hone/ops/embedding.h"

#include <ATen/ops/embedding.h>

#include "hone/kernels/pointwise.h"
#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::Embedding problem_of(const at::Tensor& ids, int64_t columns, double scale) {
  return {.tokens = ids.numel(),
          .columns = columns,
          .ids = ids.const_data_ptr<int32_t>(),
          .scale = static_cast<float>(scale)};
}

struct EmbeddingFunction : torch::autograd::Function<EmbeddingFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& ids_T,
                            const at::Tensor& table_VD, const Parameter& parameter, double scale) {
    auto problem = problem_of(ids_T, table_VD.size(1), scale);
    at::Tensor out_TD = at::empty({problem.tokens, problem.columns},
                                  table_VD.options().dtype(at::kFloat).requires_grad(false));
    problem.type = kernel_dtype(table_VD.scalar_type());
    problem.table = table_VD.const_data_ptr();
    problem.out = float_data(out_TD);
    kernels::embedding(problem);
    context->save_for_backward({ids_T});
    context->saved_data["table_grad"] = parameter.grad;
    context->saved_data["scale"] = scale;
    return out_TD;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor ids_T = context->get_saved_variables()[0];
    const at::Tensor grad_TD = gradients[0].contiguous();
    const at::Tensor table_grad = context->saved_data["table_grad"].toTensor();
    if (table_grad.defined()) {
      kernels::embedding_backward(
          problem_of(ids_T, grad_TD.size(1), context->saved_data["scale"].toDouble()),
          float_data(grad_TD), float_data(table_grad));
    }
    return {at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor plain::embedding(const at::Tensor& ids_T, const Parameter& table_VD, double scale) {
  return at::embedding(use(table_VD).to(at::kFloat), ids_T) * scale;
}

at::Tensor embedding(const at::Tensor& ids_T, const Parameter& table_VD, double scale) {
  HONE_ASSERT(ids_T.scalar_type() == at::kInt && ids_T.dim() == 1, "ids of {} dimensions",
              ids_T.dim());
  if (!use_kernels(ids_T)) return plain::embedding(ids_T, table_VD, scale);
  return EmbeddingFunction::apply(ids_T, table_VD.value, table_VD, scale);
}

}  // namespace hone::ops
