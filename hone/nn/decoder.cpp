#include "hone/nn/decoder.h"

#include "hone/nn/recompute.h"
#include "hone/ops/embedding.h"
#include "hone/ops/linear.h"
#include "hone/tensor/dtype.h"

namespace hone::nn {

Decoder::Decoder(DecoderConfig config, Weights& weights)
    : config_(std::move(config)), type_(weights.type()) {
  const int64_t vocabulary = config_.vocabulary, hidden = config_.hidden;
  embedding_ = &weights.add("embedding", {vocabulary, hidden},
                            {{"model.embed_tokens.weight", 0, vocabulary}});
  for (size_t index = 0; index < config_.layers.size(); ++index) {
    layers_.push_back(add_layer(index, weights));
  }
  final_norm_ = &weights.add("final_norm", {hidden}, {{"model.norm.weight", 0, hidden}});
  if (!config_.tied_head) {
    head_ = &weights.add("head", {vocabulary, hidden}, {{"lm_head.weight", 0, vocabulary}});
  }
  for (const auto& rope : config_.ropes) {
    ropes_.push_back(
        make_rope_table(rope, config_.head_dim, config_.max_positions, weights.device()));
  }
}

Decoder::Layer Decoder::add_layer(int64_t index, Weights& weights) const {
  const auto& names = config_.names;
  const int64_t hidden = config_.hidden, intermediate = config_.intermediate;
  const int64_t q = config_.heads * config_.head_dim, kv = config_.kv_heads * config_.head_dim;
  const std::string own = fmt::format("layer.{}.", index);
  const std::string prefix = fmt::format("model.layers.{}.", index);
  const auto vector = [&](const std::string& role, const std::string& name, int64_t count) {
    if (name.empty()) return static_cast<Parameter*>(nullptr);
    return &weights.add(own + role, {count}, {{prefix + name + ".weight", 0, count}});
  };
  const auto matrix = [&](const std::string& role, std::vector<CheckpointSlice> slices,
                          int64_t columns) {
    int64_t rows = 0;
    for (auto& slice : slices) {
      slice.name = prefix + slice.name + (columns ? ".weight" : ".bias");
      rows += slice.row_count;
    }
    const std::vector<int64_t> shape =
        columns ? std::vector<int64_t>{rows, columns} : std::vector<int64_t>{rows};
    return &weights.add(own + role, shape, std::move(slices));
  };
  const std::vector<CheckpointSlice> qkv{{names.q, 0, q}, {names.k, q, kv}, {names.v, q + kv, kv}};
  Layer layer{};
  layer.attention_norm = vector("attention_norm", names.attention_norm, hidden);
  layer.qkv = matrix("qkv", qkv, hidden);
  layer.qkv_bias = config_.qkv_bias ? matrix("qkv_bias", qkv, 0) : nullptr;
  layer.q_norm = vector("q_norm", names.q_norm, config_.head_dim);
  layer.k_norm = vector("k_norm", names.k_norm, config_.head_dim);
  layer.o = matrix("o", {{names.o, 0, hidden}}, q);
  layer.attention_post_norm = vector("attention_post_norm", names.attention_post_norm, hidden);
  layer.mlp_norm = vector("mlp_norm", names.mlp_norm, hidden);
  layer.gate_up = matrix(
      "gate_up", {{names.gate, 0, intermediate}, {names.up, intermediate, intermediate}}, hidden);
  layer.down = matrix("down", {{names.down, 0, hidden}}, intermediate);
  layer.mlp_post_norm = vector("mlp_post_norm", names.mlp_post_norm, hidden);
  return layer;
}

ops::AttentionShape Decoder::attention_shape(int64_t layer) const {
  return {.heads = config_.heads,
          .kv_heads = config_.kv_heads,
          .head_dim = config_.head_dim,
          .type = kernel_dtype(type_),
          .scale = static_cast<float>(config_.attention_scale),
          .softcap = static_cast<float>(config_.attention_softcap),
          .window = config_.layers[layer].window};
}

at::Tensor Decoder::norm(const at::Tensor& x, const Parameter& weight, at::ScalarType out) const {
  return ops::rms_norm(x, weight, config_.norm, out);
}

at::Tensor Decoder::attend(int64_t index, const at::Tensor& x_TD, const Batch& batch,
                           ops::KvCacheLayer* cache) const {
  const Layer& layer = layers_[index];
  const int64_t q_width = config_.heads * config_.head_dim;
  const int64_t kv_width = config_.kv_heads * config_.head_dim;
  const at::Tensor qkv = ops::linear(x_TD, *layer.qkv, layer.qkv_bias);
  const auto parts = qkv.split_with_sizes({q_width, kv_width, kv_width}, 1);
  const auto turn = [&](const at::Tensor& part, const Parameter* weight) {
    const at::Tensor x =
        weight ? norm(part.unflatten(1, {-1, config_.head_dim}), *weight, at::kFloat).flatten(1)
               : part;
    return ops::rope(x, config_.head_dim, batch.positions, ropes_[config_.layers[index].rope_index],
                     type_);
  };
  const at::Tensor v = parts[2].to(type_).unflatten(1, {-1, config_.head_dim});
  const at::Tensor out = ops::attention(turn(parts[0], layer.q_norm), turn(parts[1], layer.k_norm),
                                        v, attention_shape(index), batch.plan, cache);
  return ops::linear(out.flatten(1), *layer.o, nullptr);
}

at::Tensor Decoder::feed_forward(const Layer& layer, const at::Tensor& x_TD) const {
  const at::Tensor gate_up = ops::linear(x_TD, *layer.gate_up, nullptr);
  return ops::linear(ops::gated_activation(gate_up, config_.activation, type_), *layer.down,
                     nullptr);
}

at::Tensor Decoder::run_layer(int64_t index, const at::Tensor& x_TD, const Batch& batch,
                              ops::KvCacheLayer* cache) const {
  const Layer& layer = layers_[index];
  at::Tensor attended = attend(index, norm(x_TD, *layer.attention_norm, type_), batch, cache);
  if (layer.attention_post_norm) attended = norm(attended, *layer.attention_post_norm, at::kFloat);
  const at::Tensor middle = x_TD + attended;
  at::Tensor fed = feed_forward(layer, norm(middle, *layer.mlp_norm, type_));
  if (layer.mlp_post_norm) fed = norm(fed, *layer.mlp_post_norm, at::kFloat);
  return middle + fed;
}

at::Tensor Decoder::forward(const Batch& batch, KvCache* cache, bool recompute) const {
  at::Tensor x_TD = ops::embedding(batch.tokens, *embedding_, config_.embedding_scale);
  for (int64_t index = 0; index < static_cast<int64_t>(layers_.size()); ++index) {
    if (recompute && at::GradMode::is_enabled()) {
      x_TD = nn::recompute(
          [this, index, batch](const at::Tensor& x) { return run_layer(index, x, batch, nullptr); },
          x_TD);
    } else {
      x_TD = run_layer(index, x_TD, batch, cache ? &(*cache)[index] : nullptr);
    }
  }
  return norm(x_TD, *final_norm_, type_);
}

}  // namespace hone::nn
