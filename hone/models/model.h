#pragma once

#include <memory>

#include "hone/base/files.h"
#include "hone/base/json.h"
#include "hone/nn/decoder.h"

namespace hone::models {

struct LoadOptions {
  at::ScalarType type = at::kBFloat16;
  at::Device device = at::kCPU;
};

/// A language model: its configuration, its one set of weights and the decoder over them.
class Model {
 public:
  /// Loads a Hugging Face folder. Every tensor must be there with its shape; tensors that the
  /// model does not know are an input error too, so nothing is dropped silently.
  static std::unique_ptr<Model> load(const Path& folder, const LoadOptions& options);

  /// A model of config.json's shape with zero weights.
  Model(Json config, const LoadOptions& options);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Json& config() const { return config_; }
  nn::Weights& weights() { return weights_; }
  const nn::Weights& weights() const { return weights_; }
  const nn::Decoder& decoder() const { return decoder_; }

  /// Writes model.safetensors and config.json into `folder`, which exists.
  void save(const Path& folder) const;

 private:
  Json config_;
  nn::Weights weights_;
  nn::Decoder decoder_;
};

}  // namespace hone::models
