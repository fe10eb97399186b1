#pragma once

#include <deque>
#include <optional>

#include "hone/nn/weights.h"
#include "hone/ops/attention.h"
#include "hone/ops/gated_activation.h"
#include "hone/ops/head.h"
#include "hone/ops/rms_norm.h"
#include "hone/ops/rope.h"

namespace hone::nn {

/// Rotary frequencies: theta^(-2i/d), then scaled as config.json's rope_scaling says.
struct RopeConfig {
  double theta = 10000;
  enum class Scaling { none, linear, llama3 } scaling = Scaling::none;
  double factor = 1;
  double low_freq_factor = 1, high_freq_factor = 4;  // llama3 (2407.21783, §3.4)
  double original_max_positions = 8192;              // llama3
};

/// One layer: which rope it uses and how far back it sees (0: everything).
struct LayerConfig {
  int64_t window = 0;
  int64_t rope_index = 0;
};

/// Names of a layer's checkpoint tensors behind "model.layers.N."; empty: the layer has none.
struct LayerNames {
  std::string attention_norm = "input_layernorm", q = "self_attn.q_proj", k = "self_attn.k_proj",
              v = "self_attn.v_proj", o = "self_attn.o_proj", q_norm, k_norm, attention_post_norm,
              mlp_norm = "post_attention_layernorm", gate = "mlp.gate_proj", up = "mlp.up_proj",
              down = "mlp.down_proj", mlp_post_norm;
};

/// Everything that tells decoder-only transformers of the Llama line apart.
struct DecoderConfig {
  int64_t vocabulary = 0, hidden = 0, intermediate = 0;
  int64_t heads = 0, kv_heads = 0, head_dim = 0, max_positions = 0;
  ops::RmsNormOptions norm;
  ops::Activation activation = ops::Activation::silu;
  double embedding_scale = 1, attention_scale = 0, attention_softcap = 0;
  ops::HeadOptions head;
  bool qkv_bias = false, tied_head = false;
  std::vector<RopeConfig> ropes{RopeConfig{}};
  std::vector<LayerConfig> layers;
  LayerNames names;
};

/// A packed batch: the tokens of all sequences one after the other, no padding.
struct Batch {
  at::Tensor tokens;     // int32 [T]
  at::Tensor positions;  // int32 [T]
  std::shared_ptr<const ops::AttentionPlan> plan;
};

/// The paged keys and values of all layers.
using KvCache = std::vector<ops::KvCacheLayer>;

/// A decoder-only transformer over a packed batch. Activations between ops are float32; inputs of
/// matrix products, keys and values have the dtype of the weights.
class Decoder {
 public:
  /// Adds its parameters to `weights`, which must outlive it.
  Decoder(DecoderConfig config, Weights& weights);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const DecoderConfig& config() const { return config_; }
  ops::AttentionShape attention_shape(int64_t layer) const;

  /// Hidden states after the final norm, [T, hidden] of the weights' dtype: the input of the head.
  /// With a cache: generation, keys and values are stored there. Without: training over
  /// batch.plan's forest; `recompute` keeps only each layer's input for the backward.
  at::Tensor forward(const Batch& batch, KvCache* cache, bool recompute = false) const;

  /// The matrix of the head: [vocabulary, hidden].
  const Parameter& head() const { return config_.tied_head ? *embedding_ : *head_; }

 private:
  struct Layer {
    Parameter *attention_norm, *qkv, *qkv_bias, *o, *q_norm, *k_norm, *attention_post_norm;
    Parameter *mlp_norm, *gate_up, *down, *mlp_post_norm;
  };
  Layer add_layer(int64_t index, Weights& weights) const;
  at::Tensor run_layer(int64_t index, const at::Tensor& x_TD, const Batch& batch,
                       ops::KvCacheLayer* cache) const;
  at::Tensor attend(int64_t index, const at::Tensor& x_TD, const Batch& batch,
                    ops::KvCacheLayer* cache) const;
  at::Tensor feed_forward(const Layer& layer, const at::Tensor& x_TD) const;
  at::Tensor norm(const at::Tensor& x, const Parameter& weight, at::ScalarType out) const;

  DecoderConfig config_;
  at::ScalarType type_;
  Parameter *embedding_ = nullptr, *final_norm_ = nullptr, *head_ = nullptr;
  std::vector<Layer> layers_;
  std::vector<ops::RopeTable> ropes_;
};

/// Cosines and sines of positions 0 … positions - 1, computed in double (float32 frequencies).
ops::RopeTable make_rope_table(const RopeConfig& config, int64_t head_dim, int64_t positions,
                               at::Device device);

}  // namespace hone::nn
