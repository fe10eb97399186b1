#include "hone/models/registry.h"

#include <fmt/ranges.h>

#include "hone/models/architectures.h"

namespace hone::models {
namespace {

struct Architecture {
  const char* name;
  nn::DecoderConfig (*read)(const ConfigReader&);
};

constexpr Architecture kArchitectures[] = {
    {"LlamaForCausalLM", llama}, {"MistralForCausalLM", mistral},    {"Qwen2ForCausalLM", qwen2},
    {"Qwen3ForCausalLM", qwen3}, {"Gemma3ForCausalLM", gemma3_text},
};

std::string name_of(const Json& config) {
  const auto found = config.find("architectures");
  const bool present =
      found != config.end() && found->is_array() && !found->empty() && found->front().is_string();
  HONE_CHECK(present,
             "config.json: 'architectures' must name the model class, e.g. "
             "[\"LlamaForCausalLM\"], but it is missing");
  return found->front().get<std::string>();
}

}  // namespace

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const auto& architecture : kArchitectures) names.push_back(architecture.name);
  return names;
}

nn::DecoderConfig decoder_config(const Json& config) {
  const std::string name = name_of(config);
  for (const auto& architecture : kArchitectures) {
    if (name == architecture.name) return architecture.read(ConfigReader(config));
  }
  fail_input("config.json: architecture '{}' is not supported; known are {}", name,
             fmt::join(known_architectures(), ", "));
}

}  // namespace hone::models
