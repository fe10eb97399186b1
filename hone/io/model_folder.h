#pragma once

#include <memory>

#include "hone/base/json.h"
#include "hone/io/safetensors.h"

namespace hone::io {

/// A Hugging Face folder: config.json, weights in model.safetensors or in shards named by
/// model.safetensors.index.json, generation_config.json, tokenizer files, chat template. Errors say
/// what was looked for and what is there.
class ModelFolder {
 public:
  explicit ModelFolder(const Path& path);

  const Json& config() const { return config_; }

  /// Opens the weights; every tensor of the index must be in its shard.
  std::vector<std::shared_ptr<const SafetensorsFile>> weights() const;

  /// The chat template: chat_template.jinja, or `chat_template` of tokenizer_config.json (a text,
  /// or a list of named ones, of which "default" counts); empty where the folder has none.
  std::string chat_template() const;

  /// bos_token, eos_token, pad_token and unk_token as the template sees them.
  Json template_variables() const;

  /// Tokens that end an answer: eos_token_id of generation_config.json, else of config.json.
  std::vector<int32_t> eos_token_ids() const;

 private:
  Json read_optional(const char* name) const;

  Path path_;
  Json config_, generation_config_, tokenizer_config_;
};

}  // namespace hone::io
