#include "hone/models/architectures.h"

namespace hone::models {

/// Qwen2 and Qwen2.5 (2407.10671): Llama with biases on q, k and v.
nn::DecoderConfig qwen2(const ConfigReader& config) {
  config.require_one_of("hidden_act", {"silu"});
  nn::DecoderConfig decoder = read_common(config);
  decoder.qkv_bias = true;
  read_windows(config, false, decoder);
  return decoder;
}

/// Qwen3 (2505.09388): no biases, an RMS norm on each head of q and k.
nn::DecoderConfig qwen3(const ConfigReader& config) {
  config.require_one_of("hidden_act", {"silu"});
  HONE_CHECK(!config.flag("attention_bias", false),
             "config.json: attention_bias of a qwen3 must be false");
  nn::DecoderConfig decoder = read_common(config);
  decoder.names.q_norm = "self_attn.q_norm";
  decoder.names.k_norm = "self_attn.k_norm";
  read_windows(config, false, decoder);
  return decoder;
}

}  // namespace hone::models
