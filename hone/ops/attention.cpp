#include "hone/ops/attention.h"

#include "hone/ops/kernel_choice.h"
#include "hone/tensor/dtype.h"

namespace hone::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using PlanPointer = std::shared_ptr<const AttentionPlan>;

/// Carries a plan and a shape through autograd's saved data.
struct SavedAttention : torch::CustomClassHolder {
  SavedAttention(AttentionShape shape, PlanPointer plan) : shape(shape), plan(std::move(plan)) {}
  AttentionShape shape;
  PlanPointer plan;
};

at::Tensor run_forward(const at::Tensor& q, const AttentionShape& shape, const AttentionPlan& plan,
                       const KvCacheLayer& cache, float* log_sum_exp) {
  at::Tensor out = at::empty(q.sizes(), q.options().requires_grad(false));
  kernels::attention_forward({.shape = shape,
                              .q = q.const_data_ptr(),
                              .blocks = {cache.k.mutable_data_ptr(), cache.v.mutable_data_ptr()},
                              .spans = plan.spans.data(),
                              .span_count = static_cast<int64_t>(plan.spans.size()),
                              .out = out.mutable_data_ptr(),
                              .log_sum_exp = log_sum_exp});
  return out;
}

void store(const at::Tensor& k, const at::Tensor& v, const AttentionShape& shape,
           const AttentionPlan& plan, const KvCacheLayer& cache) {
  const int64_t width = shape.kv_heads * shape.head_dim;
  kernels::write_kv(shape, k.const_data_ptr(), width, v.const_data_ptr(), width, plan.writes.data(),
                    static_cast<int64_t>(plan.writes.size()),
                    {cache.k.mutable_data_ptr(), cache.v.mutable_data_ptr()});
}

struct AttentionFunction : torch::autograd::Function<AttentionFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q_THD,
                            const at::Tensor& k_TGD, const at::Tensor& v_TGD,
                            const AttentionShape& shape, const PlanPointer& plan) {
    const at::Tensor q = q_THD.contiguous(), k = k_TGD.contiguous(), v = v_TGD.contiguous();
    const KvCacheLayer scratch = make_kv_blocks(shape, plan->block_count, q.device());
    store(k, v, shape, *plan, scratch);
    at::Tensor log_sum_exp =
        at::empty({q.size(0), shape.heads}, q.options().dtype(at::kFloat).requires_grad(false));
    at::Tensor out = run_forward(q, shape, *plan, scratch, float_data(log_sum_exp));
    context->save_for_backward({q, k, v, out, log_sum_exp});
    context->saved_data["attention"] =
        c10::IValue::make_capsule(c10::make_intrusive<SavedAttention>(shape, plan));
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto holder = context->saved_data["attention"].toCapsule();
    const auto& attention = static_cast<const SavedAttention&>(*holder);
    const at::Tensor grad_out = gradients[0].contiguous();
    const auto options = grad_out.options().dtype(at::kFloat).requires_grad(false);
    at::Tensor grad_q = at::empty(saved[0].sizes(), options);
    at::Tensor grad_k = at::empty(saved[1].sizes(), options);
    at::Tensor grad_v = at::empty(saved[2].sizes(), options);
    const auto& segments = attention.plan->segments;
    kernels::attention_backward({.shape = attention.shape,
                                 .token_count = saved[0].size(0),
                                 .q = saved[0].const_data_ptr(),
                                 .k = saved[1].const_data_ptr(),
                                 .v = saved[2].const_data_ptr(),
                                 .out = saved[3].const_data_ptr(),
                                 .grad_out = grad_out.const_data_ptr(),
                                 .log_sum_exp = float_data(saved[4]),
                                 .segments = segments.data(),
                                 .segment_count = static_cast<int64_t>(segments.size()),
                                 .grad_q = float_data(grad_q),
                                 .grad_k = float_data(grad_k),
                                 .grad_v = float_data(grad_v)});
    const auto type = saved[0].scalar_type();
    return {grad_q.to(type), grad_k.to(type), grad_v.to(type), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

KvCacheLayer make_kv_blocks(const AttentionShape& shape, int64_t block_count, at::Device device) {
  const auto options = at::TensorOptions()
                           .dtype(shape.type == kernels::DType::f32 ? at::kFloat : at::kBFloat16)
                           .device(device);
  const int64_t block = kernels::kKvBlockTokens;
  return {at::zeros({block_count, shape.kv_heads, shape.head_dim, block}, options),
          at::zeros({block_count, shape.kv_heads, block, shape.head_dim}, options)};
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionShape& shape, std::shared_ptr<const AttentionPlan> plan,
                     KvCacheLayer* cache) {
  HONE_ASSERT(q.size(1) == shape.heads && k.size(1) == shape.kv_heads && q.dim() == 3,
              "attention of {} heads over {}", q.size(1), k.size(1));
  HONE_ASSERT(cache || !plan->segments.empty(), "generation needs a cache");
  if (!use_kernels(q)) return plain::attention(q, k, v, shape, *plan, cache);
  if (!cache) return AttentionFunction::apply(q, k, v, shape, plan);
  store(k.contiguous(), v.contiguous(), shape, *plan, *cache);
  return run_forward(q.contiguous(), shape, *plan, *cache, nullptr);
}

}  // namespace hone::ops
