#include "hone/models/config_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace hone::models {

const Json* ConfigReader::find(const char* key) const {
  const auto found = config_.find(key);
  return found == config_.end() || found->is_null() ? nullptr : &*found;
}

int64_t ConfigReader::count(const char* key) const {
  const Json* value = find(key);
  HONE_CHECK(value, "config.json: '{}' must be a positive integer, but it is missing", key);
  HONE_CHECK(value->is_number_integer() && value->get<int64_t>() > 0,
             "config.json: '{}' must be a positive integer, but it is {}", key, value->dump());
  return value->get<int64_t>();
}

int64_t ConfigReader::integer(const char* key, int64_t otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  HONE_CHECK(value->is_number_integer(), "config.json: '{}' must be an integer, but it is {}", key,
             value->dump());
  return value->get<int64_t>();
}

double ConfigReader::number(const char* key, double otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  HONE_CHECK(value->is_number(), "config.json: '{}' must be a number, but it is {}", key,
             value->dump());
  return value->get<double>();
}

bool ConfigReader::flag(const char* key, bool otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  HONE_CHECK(value->is_boolean(), "config.json: '{}' must be true or false, but it is {}", key,
             value->dump());
  return value->get<bool>();
}

std::string ConfigReader::text(const char* key, const std::string& otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  HONE_CHECK(value->is_string(), "config.json: '{}' must be a string, but it is {}", key,
             value->dump());
  return value->get<std::string>();
}

void ConfigReader::require_one_of(const char* key, const std::vector<std::string>& known) const {
  const std::string value = text(key, known.front());
  HONE_CHECK(std::find(known.begin(), known.end(), value) != known.end(),
             "config.json: '{}' is '{}'; this architecture knows only {}", key, value,
             fmt::join(known, ", "));
}

nn::RopeConfig read_rope(const Json& parameters, double default_theta) {
  const ConfigReader rope(parameters);
  const std::string type = rope.text("rope_type", rope.text("type", "default"));
  nn::RopeConfig result;
  result.theta = rope.number("rope_theta", default_theta);
  result.factor = rope.number("factor", 1);
  if (type == "default") return result;
  if (type == "linear") {
    result.scaling = nn::RopeConfig::Scaling::linear;
    return result;
  }
  HONE_CHECK(type == "llama3",
             "config.json: rope type '{}' is not supported; known are default, linear and llama3",
             type);
  result.scaling = nn::RopeConfig::Scaling::llama3;
  result.low_freq_factor = rope.number("low_freq_factor", 1);
  result.high_freq_factor = rope.number("high_freq_factor", 4);
  result.original_max_positions = rope.number("original_max_position_embeddings", 8192);
  return result;
}

/// The one rope of a model whose layers all share it.
static nn::RopeConfig read_shared_rope(const ConfigReader& config) {
  const double theta = config.number("rope_theta", 10000);
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const auto found = config.json().find(key);
    if (found != config.json().end() && found->is_object()) return read_rope(*found, theta);
  }
  return {.theta = theta};
}

nn::DecoderConfig read_common(const ConfigReader& config) {
  nn::DecoderConfig decoder;
  decoder.vocabulary = config.count("vocab_size");
  decoder.hidden = config.count("hidden_size");
  decoder.intermediate = config.count("intermediate_size");
  decoder.heads = config.count("num_attention_heads");
  decoder.kv_heads = config.integer("num_key_value_heads", decoder.heads);
  decoder.head_dim = config.integer("head_dim", decoder.hidden / decoder.heads);
  decoder.max_positions = config.integer("max_position_embeddings", 2048);
  HONE_CHECK(decoder.kv_heads > 0 && decoder.heads % decoder.kv_heads == 0,
             "config.json: num_attention_heads {} must be a multiple of num_key_value_heads {}",
             decoder.heads, decoder.kv_heads);
  HONE_CHECK(decoder.head_dim > 0 && decoder.head_dim % 2 == 0,
             "config.json: head_dim must be even and positive, but it is {}", decoder.head_dim);
  decoder.norm.eps = config.number("rms_norm_eps", 1e-6);
  decoder.attention_scale = 1 / std::sqrt(static_cast<double>(decoder.head_dim));
  decoder.tied_head = config.flag("tie_word_embeddings", false);
  decoder.ropes = {read_shared_rope(config)};
  decoder.layers.resize(config.count("num_hidden_layers"));
  return decoder;
}

void read_windows(const ConfigReader& config, bool window_everywhere, nn::DecoderConfig& decoder) {
  const int64_t window = config.integer("sliding_window", 0);
  const auto types = config.json().find("layer_types");
  if (types == config.json().end() || !types->is_array()) {
    for (auto& layer : decoder.layers) layer.window = window_everywhere ? window : 0;
    return;
  }
  HONE_CHECK(types->size() == decoder.layers.size(),
             "config.json: layer_types has {} entries for {} layers", types->size(),
             decoder.layers.size());
  for (size_t i = 0; i < decoder.layers.size(); ++i) {
    const std::string type = (*types)[i].is_string() ? (*types)[i].get<std::string>() : "?";
    HONE_CHECK(type == "full_attention" || type == "sliding_attention",
               "config.json: layer type '{}' is not supported; known are full_attention and "
               "sliding_attention",
               type);
    decoder.layers[i].window = type == "sliding_attention" ? window : 0;
  }
}

}  // namespace hone::models
