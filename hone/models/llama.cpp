#include "hone/models/architectures.h"

namespace hone::models {

/// Llama 2 and 3 (2307.09288, 2407.21783) and all that share their layout, such as SmolLM2.
nn::DecoderConfig llama(const ConfigReader& config) {
  config.require_one_of("hidden_act", {"silu"});
  HONE_CHECK(!config.flag("attention_bias", false) && !config.flag("mlp_bias", false),
             "config.json: attention_bias and mlp_bias of a llama must be false");
  return read_common(config);
}

/// Mistral 7B (2310.06825): Llama whose layers all see a window.
nn::DecoderConfig mistral(const ConfigReader& config) {
  config.require_one_of("hidden_act", {"silu"});
  nn::DecoderConfig decoder = read_common(config);
  read_windows(config, true, decoder);
  return decoder;
}

}  // namespace hone::models
