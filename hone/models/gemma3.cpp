#include <cmath>

#include "hone/models/architectures.h"

namespace hone::models {

/// Gemma 3, text only (2503.19786): norms before and after each block with weights around zero,
/// scaled embeddings, gated GELU, local layers with their own rope between global ones.
nn::DecoderConfig gemma3_text(const ConfigReader& config) {
  config.require_one_of("hidden_activation", {"gelu_pytorch_tanh"});
  nn::DecoderConfig decoder = read_common(config);
  decoder.norm.weight_offset = 1;
  decoder.activation = ops::Activation::gelu_tanh;
  decoder.tied_head = config.flag("tie_word_embeddings", true);
  decoder.embedding_scale = std::sqrt(static_cast<double>(decoder.hidden));
  decoder.attention_scale = 1 / std::sqrt(config.number("query_pre_attn_scalar", 256));
  decoder.attention_softcap = config.number("attn_logit_softcapping", 0);
  decoder.head.softcap = config.number("final_logit_softcapping", 0);
  decoder.names = {.attention_post_norm = "post_attention_layernorm",
                   .mlp_norm = "pre_feedforward_layernorm",
                   .mlp_post_norm = "post_feedforward_layernorm"};
  decoder.names.q_norm = "self_attn.q_norm";
  decoder.names.k_norm = "self_attn.k_norm";
  read_windows(config, false, decoder);
  const auto parameters = config.json().find("rope_parameters");
  const bool split = parameters != config.json().end() && parameters->contains("full_attention");
  const double local_theta = config.number("rope_local_base_freq", 10000);
  decoder.ropes = {split ? read_rope(parameters->at("full_attention"), 1e6) : decoder.ropes[0],
                   split ? read_rope(parameters->at("sliding_attention"), local_theta)
                         : nn::RopeConfig{.theta = local_theta}};
  for (auto& layer : decoder.layers) layer.rope_index = layer.window > 0 ? 1 : 0;
  return decoder;
}

}  // namespace hone::models
