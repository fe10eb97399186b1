#pragma once

#include "hone/models/config_reader.h"

namespace hone::models {

/// The decoder that config.json describes; an unknown architecture is an input error that lists
/// the known ones.
nn::DecoderConfig decoder_config(const Json& config);

/// The names of `architectures` that are known.
std::vector<std::string> known_architectures();

}  // namespace hone::models
