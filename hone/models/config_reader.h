#pragma once

#include "hone/base/json.h"
#include "hone/nn/decoder.h"

namespace hone::models {

/// config.json read with errors that name the key, what must hold and what came.
class ConfigReader {
 public:
  explicit ConfigReader(const Json& config) : config_(config) {}

  /// A positive integer that must be there.
  int64_t count(const char* key) const;
  /// An integer, or `otherwise` where the key is absent or null.
  int64_t integer(const char* key, int64_t otherwise) const;
  double number(const char* key, double otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key, const std::string& otherwise) const;
  const Json& json() const { return config_; }

  /// Refuses a configuration whose `key` is set to anything but one of `known`.
  void require_one_of(const char* key, const std::vector<std::string>& known) const;

 private:
  const Json* find(const char* key) const;
  const Json& config_;
};

/// The fields that all architectures share: sizes, eps, heads, rope (transformers 4 and 5 spell it
/// `rope_theta` + `rope_scaling` or `rope_parameters`), plain layers without a window.
nn::DecoderConfig read_common(const ConfigReader& config);

/// One rope from an object of `rope_parameters` or `rope_scaling`.
nn::RopeConfig read_rope(const Json& parameters, double default_theta);

/// Gives layers their windows: those that `layer_types` calls sliding_attention, or, without
/// layer_types, all of them where `sliding_window` is set and `window_everywhere` holds.
void read_windows(const ConfigReader& config, bool window_everywhere, nn::DecoderConfig& decoder);

}  // namespace hone::models
