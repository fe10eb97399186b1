#pragma once

#include <ATen/ops/empty.h>

#include <string>

#include "hone/base/files.h"
#include "hone/base/json.h"
#include "hone/models/model.h"
#include "hone/text/unicode.h"

/// A complete Hugging Face folder of a random Llama of a few thousand parameters, for tests.
namespace hone::testing {

/// Uniform in [-1, 1) by a hash of name and index: weights that are the same on every machine.
inline float hashed(const std::string& name, uint32_t index) {
  uint32_t x = 2166136261u;
  for (unsigned char byte : name) x = (x ^ byte) * 16777619u;
  x += index * 0x9E3779B9u;
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  x = x ^ (x >> 16);
  return static_cast<float>(x / 2147483648.0 - 1);
}

/// Fills every parameter: matrices around 0, norms around `norm_center`.
inline void fill_weights(nn::Weights& weights, float norm_center = 1) {
  for (auto& entry : weights.entries()) {
    at::Tensor& value = entry.parameter.value;
    at::Tensor host = at::empty(value.sizes(), at::kFloat);
    const bool matrix = value.dim() > 1;
    for (int64_t i = 0; i < host.numel(); ++i) {
      const float u = hashed(entry.parameter.name, static_cast<uint32_t>(i));
      host.mutable_data_ptr<float>()[i] = matrix ? 0.2f * u : 0.1f * u + norm_center;
    }
    const at::NoGradGuard no_grad;
    value.copy_(host);
  }
}

inline constexpr int64_t kTinyVocabulary = 260;

/// config.json of the tiny model.
inline Json tiny_config() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"vocab_size", kTinyVocabulary},
          {"hidden_size", 48},
          {"intermediate_size", 80},
          {"num_hidden_layers", 2},
          {"num_attention_heads", 6},
          {"num_key_value_heads", 2},
          {"head_dim", 8},
          {"max_position_embeddings", 512},
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 10000.0},
          {"tie_word_embeddings", true},
          {"eos_token_id", 257}};
}

/// A byte-level tokenizer: token b is byte b, then <|im_start|> 256, <|im_end|> 257.
inline Json tiny_tokenizer() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[text::to_byte_aliases(std::string(1, static_cast<char>(byte)))] = byte;
  }
  return {
      {"added_tokens",
       {{{"id", 256}, {"content", "<|im_start|>"}, {"special", true}},
        {{"id", 257}, {"content", "<|im_end|>"}, {"special", true}}}},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}}}};
}

inline constexpr const char* kChatMl =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// Writes the whole folder; its weights are float32.
inline void write_tiny_model(const Path& folder) {
  std::filesystem::create_directories(folder);
  models::Model model(tiny_config(), {.type = at::kFloat});
  fill_weights(model.weights());
  model.save(folder);
  write_file(folder / "tokenizer.json", tiny_tokenizer().dump());
  write_file(folder / "tokenizer_config.json",
             Json{{"eos_token", "<|im_end|>"}, {"chat_template", kChatMl}}.dump());
  write_file(folder / "generation_config.json", Json{{"eos_token_id", 257}}.dump());
}

}  // namespace hone::testing
