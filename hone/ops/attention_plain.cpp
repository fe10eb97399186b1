#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>

#include "hone/ops/attention.h"

namespace hone::ops {
namespace {

/// softmax(q kᵀ) v of one span: q [Q, heads, D] at positions `first`…, k and v [K, kv_heads, D] at
/// positions 0….
at::Tensor attend(const at::Tensor& q_QHD, const at::Tensor& k_KGD, const at::Tensor& v_KGD,
                  const AttentionShape& shape, int64_t first) {
  const int64_t group = shape.heads / shape.kv_heads;
  const auto by_head = [&](const at::Tensor& x_KGD) {
    return x_KGD.to(at::kFloat).permute({1, 0, 2}).repeat_interleave(group, 0);
  };
  const at::Tensor q_HQD = q_QHD.to(at::kFloat).permute({1, 0, 2});
  at::Tensor scores_HQK = at::matmul(q_HQD, by_head(k_KGD).transpose(1, 2)) * shape.scale;
  if (shape.softcap > 0) scores_HQK = at::tanh(scores_HQK / shape.softcap) * shape.softcap;
  const auto options = q_QHD.options().dtype(at::kLong).requires_grad(false);
  const at::Tensor query = (at::arange(q_QHD.size(0), options) + first).unsqueeze(1);
  const at::Tensor key = at::arange(k_KGD.size(0), options).unsqueeze(0);
  at::Tensor hidden_QK = key > query;
  if (shape.window > 0) hidden_QK = hidden_QK.logical_or(key <= query - shape.window);
  scores_HQK = scores_HQK.masked_fill(hidden_QK, -INFINITY);
  return at::matmul(at::softmax(scores_HQK, -1), by_head(v_KGD)).permute({1, 0, 2});
}

/// The rows of a segment and of its ancestors, in position order.
at::Tensor rows_of_chain(const at::Tensor& x, const AttentionPlan& plan, int64_t index) {
  std::vector<at::Tensor> parts;
  for (int64_t s = index; s >= 0; s = plan.segments[s].parent) {
    parts.insert(parts.begin(), x.narrow(0, plan.segments[s].begin, plan.segments[s].count));
  }
  return at::cat(parts, 0);
}

at::Tensor block_indices(const std::vector<int32_t>& table, int64_t count, at::Device device) {
  const std::vector<int64_t> ids(table.begin(), table.begin() + count);
  return at::tensor(ids).to(device);
}

/// Stores the batch's k and v with one indexed write each.
void store_plain(const at::Tensor& k, const at::Tensor& v, const AttentionPlan& plan,
                 KvCacheLayer& cache) {
  std::vector<int64_t> tokens, blocks, slots;
  for (const auto& write : plan.writes) {
    tokens.push_back(write.token);
    blocks.push_back(write.block);
    slots.push_back(write.slot);
  }
  const auto device = k.device();
  const at::Tensor token = at::tensor(tokens).to(device), block = at::tensor(blocks).to(device),
                   slot = at::tensor(slots).to(device);
  cache.k.permute({0, 3, 1, 2}).index_put_({block, slot}, k.index({token}));
  cache.v.permute({0, 2, 1, 3}).index_put_({block, slot}, v.index({token}));
}

}  // namespace

at::Tensor plain::attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const AttentionShape& shape, const AttentionPlan& plan,
                            KvCacheLayer* cache) {
  if (cache) store_plain(k, v, plan, *cache);
  std::vector<at::Tensor> outs;
  for (size_t s = 0; s < plan.spans.size(); ++s) {
    const auto& span = plan.spans[s];
    const at::Tensor query = q.narrow(0, span.query_begin, span.query_count);
    if (!cache) {
      outs.push_back(attend(query, rows_of_chain(k, plan, s), rows_of_chain(v, plan, s), shape,
                            span.first_position));
      continue;
    }
    const int64_t length = span.first_position + span.query_count;
    const int64_t block_count = (length + kernels::kKvBlockTokens - 1) / kernels::kKvBlockTokens;
    const at::Tensor ids = block_indices(plan.block_tables[s], block_count, q.device());
    const at::Tensor keys = cache->k.index_select(0, ids).permute({0, 3, 1, 2}).flatten(0, 1);
    const at::Tensor values = cache->v.index_select(0, ids).permute({0, 2, 1, 3}).flatten(0, 1);
    outs.push_back(attend(query, keys.narrow(0, 0, length), values.narrow(0, 0, length), shape,
                          span.first_position));
  }
  return at::cat(outs, 0).to(q.scalar_type());
}

}  // namespace hone::ops
