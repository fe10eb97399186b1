#pragma once

#include "hone/models/config_reader.h"

/// One function per architecture: config.json to the decoder's switches. A new model is one file
/// with such a function, its declaration here and a row in registry.cpp.
namespace hone::models {

nn::DecoderConfig llama(const ConfigReader& config);
nn::DecoderConfig mistral(const ConfigReader& config);
nn::DecoderConfig qwen2(const ConfigReader& config);
nn::DecoderConfig qwen3(const ConfigReader& config);
nn::DecoderConfig gemma3_text(const ConfigReader& config);

}  // namespace hone::models
