#include "hone/io/gguf_import.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "hone/base/check.h"
#include "hone/io/gguf_dequantize.h"
#include "hone/io/gguf_rope.h"
#include "hone/io/gguf_tokenizer.h"
#include "hone/io/safetensors.h"

namespace hone::io {
namespace {

constexpr int64_t kLayerCap = 4096;

struct Architecture {
  std::string_view gguf, model_type, model_class;
  bool permuted;  // llama's converter interleaves the rope halves of the Q and K rows
  bool gemma;     // norms after the blocks too; the converter adds 1 to every norm's weights
};
constexpr std::array<Architecture, 4> kArchitectures{
    {{"llama", "llama", "LlamaForCausalLM", true, false},
     {"qwen2", "qwen2", "Qwen2ForCausalLM", false, false},
     {"qwen3", "qwen3", "Qwen3ForCausalLM", false, false},
     {"gemma3", "gemma3_text", "Gemma3ForCausalLM", false, true}}};

using Name = std::pair<std::string_view, std::string_view>;
constexpr Name kGemmaNames[] = {{"post_attention_norm", "post_attention_layernorm"},
                                {"ffn_norm", "pre_feedforward_layernorm"},
                                {"post_ffw_norm", "post_feedforward_layernorm"}};
constexpr Name kLayerNames[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"}};

const Architecture& architecture_of(const GgufFile& file) {
  const Json* name = file.value("general.architecture");
  std::string known;
  for (const Architecture& row : kArchitectures) {
    if (name && *name == row.gguf) return row;
    known += fmt::format(" {}", row.gguf);
  }
  fail_input("general.architecture is {}; known are{}", name ? print_json(*name) : "absent", known);
}

/// The numbers a decoder's configuration is made of, by their GGUF keys.
class Keys {
 public:
  explicit Keys(const GgufFile& file)
      : file_(file), prefix_(std::string(architecture_of(file).gguf) + ".") {}
  const Json* find(const std::string& key) const {
    const Json* value = file_.value(prefix_ + key);
    HONE_CHECK(!value || value->is_number(), "{}{} is not a number", prefix_, key);
    return value;
  }
  Json number(const std::string& key) const {
    const Json* value = find(key);
    HONE_CHECK(value, "the GGUF file has no key '{}{}'", prefix_, key);
    return *value;
  }
  int64_t heads(const std::string& key) const {
    const int64_t count = number(key).get<int64_t>();
    HONE_CHECK(count > 0, "{}{} is {}, it must be positive", prefix_, key, count);
    return count;
  }
  int64_t kv_heads() const {
    return heads(find("attention.head_count_kv") ? "attention.head_count_kv"
                                                 : "attention.head_count");
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

/// The name within a layer, or empty.
std::string_view layer_name(const Architecture& architecture, std::string_view part) {
  if (architecture.gemma) {
    for (const auto& [gguf, ours] : kGemmaNames) {
      if (gguf == part) return ours;
    }
  }
  for (const auto& [gguf, ours] : kLayerNames) {
    if (gguf == part) return ours;
  }
  return "";
}

/// "blk.LAYER.PART.weight" and the three tensors outside the layers.
std::string hugging_face_name(const GgufFile& file, const std::string& name) {
  if (name == "token_embd.weight") return "model.embed_tokens.weight";
  if (name == "output_norm.weight") return "model.norm.weight";
  if (name == "output.weight") return "lm_head.weight";
  const int64_t layers = Keys(file).number("block_count").get<int64_t>();
  const std::string_view all = name;
  int64_t layer = -1;
  if (all.starts_with("blk.")) {
    const auto [end, error] = std::from_chars(all.data() + 4, all.data() + all.size(), layer);
    const std::string_view rest = all.substr(end - all.data());
    const size_t suffix = rest.rfind('.');
    if (rest.starts_with('.') && suffix > 0 && layer >= 0 && layer < layers) {
      const auto ours = layer_name(architecture_of(file), rest.substr(1, suffix - 1));
      const std::string_view kind = rest.substr(suffix);
      if (!ours.empty() && (kind == ".weight" || kind == ".bias")) {
        return fmt::format("model.layers.{}.{}{}", layer, ours, kind);
      }
    }
  }
  fail_input("the GGUF tensor '{}' has no known place in a Hugging Face model of {} layers", name,
             layers);
}

/// What only Gemma 3 has: a window in five layers of six, and its attention scale, which the file
/// does not hold (1 / sqrt(head size), the 27B of 62 layers 1 / sqrt(hidden / heads)).
void add_gemma_config(const Keys& keys, Json& config) {
  const int64_t layers = keys.number("block_count").get<int64_t>();
  HONE_CHECK(layers > 0 && layers <= kLayerCap, "gemma3.block_count is {}, it must be 1 to {}",
             layers, kLayerCap);
  Json types = Json::array();
  for (int64_t i = 0; i < layers; ++i) {
    types.push_back(i % 6 == 5 ? "full_attention" : "sliding_attention");
  }
  config.erase("hidden_act");
  config["hidden_activation"] = "gelu_pytorch_tanh";
  config["layer_types"] = std::move(types);
  config["sliding_window"] = keys.number("attention.sliding_window");
  config["rope_local_base_freq"] = 10000.0;
  config["query_pre_attn_scalar"] = layers == 62
                                        ? Json(config["hidden_size"].get<int64_t>() /
                                               config["num_attention_heads"].get<int64_t>())
                                        : config["head_dim"];
  if (const Json* cap = keys.find("final_logit_softcapping")) {
    config["final_logit_softcapping"] = *cap;
  }
}

Json config_of(const GgufFile& file) {
  const Architecture& architecture = architecture_of(file);
  const Keys keys(file);
  const int64_t heads = keys.heads("attention.head_count");
  const Json hidden = keys.number("embedding_length");
  const Json* head = keys.find("attention.key_length");
  const Json* theta = keys.find("rope.freq_base");
  const GgufTensor* embedding = file.tensor("token_embd.weight");
  HONE_CHECK(embedding && embedding->shape.size() == 2, "no matrix token_embd.weight in the file");
  Json config = {{"architectures", {architecture.model_class}},
                 {"model_type", architecture.model_type},
                 {"dtype", "bfloat16"},
                 {"hidden_act", "silu"},
                 {"hidden_size", hidden},
                 {"head_dim", head ? *head : Json(hidden.get<int64_t>() / heads)},
                 {"intermediate_size", keys.number("feed_forward_length")},
                 {"max_position_embeddings", keys.number("context_length")},
                 {"num_attention_heads", heads},
                 {"num_key_value_heads", keys.kv_heads()},
                 {"num_hidden_layers", keys.number("block_count")},
                 {"rms_norm_eps", keys.number("attention.layer_norm_rms_epsilon")},
                 {"rope_theta", theta ? *theta : Json(10000.0)},
                 {"tie_word_embeddings", file.tensor("output.weight") == nullptr},
                 {"vocab_size", embedding->shape[0]}};
  for (const auto& [name, key] : {std::pair("bos_token_id", "tokenizer.ggml.bos_token_id"),
                                  std::pair("eos_token_id", "tokenizer.ggml.eos_token_id"),
                                  std::pair("pad_token_id", "tokenizer.ggml.padding_token_id")}) {
    if (const Json* id = file.value(key)) config[name] = *id;
  }
  if (architecture.gemma) add_gemma_config(keys, config);
  const Json scaling = gguf_rope_scaling(file, config);
  if (!scaling.is_null()) config["rope_scaling"] = scaling;
  return config;
}

/// Rows of one head come as (half, pair) interleaved; Hugging Face wants the halves apart.
void undo_permutation(std::vector<uint16_t>& values, int64_t rows, int64_t heads,
                      const std::string& name) {
  const int64_t width = static_cast<int64_t>(values.size()) / rows, head = rows / heads;
  HONE_CHECK(rows % heads == 0 && head % 2 == 0, "{}: {} rows are not {} heads of even size", name,
             rows, heads);
  const std::vector<uint16_t> from = values;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t in_head = row % head;
    const int64_t source = row - in_head + in_head % (head / 2) * 2 + in_head / (head / 2);
    std::copy_n(from.begin() + source * width, width, values.begin() + row * width);
  }
}

std::vector<uint16_t> weights_of(const GgufFile& file, const GgufTensor& tensor) {
  const int64_t count = *element_count(tensor.shape);
  std::vector<float> values(count);
  dequantize(tensor.type, tensor.data, count, values.data());
  if (architecture_of(file).gemma && tensor.name.ends_with("norm.weight")) {
    for (float& value : values) value -= 1;
  }
  std::vector<uint16_t> rounded(count);
  std::transform(values.begin(), values.end(), rounded.begin(), [](float x) { return to_bf16(x); });
  const bool q = tensor.name.find(".attn_q.") != std::string::npos;
  const bool k = tensor.name.find(".attn_k.") != std::string::npos;
  if (count && (q || k) && architecture_of(file).permuted) {
    const Keys keys(file);
    HONE_CHECK(!tensor.shape.empty(), "the GGUF tensor '{}' is a scalar", tensor.name);
    undo_permutation(rounded, tensor.shape[0],
                     q ? keys.heads("attention.head_count") : keys.kv_heads(), tensor.name);
  }
  return rounded;
}

void write_weights(const GgufFile& file, const Path& path) {
  std::vector<std::vector<uint16_t>> storage;
  std::vector<TensorView> views;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.name == "rope_freqs.weight") continue;  // rope_scaling of config.json
    storage.push_back(weights_of(file, tensor));
    views.push_back({hugging_face_name(file, tensor.name), ElementType::bf16, tensor.shape,
                     reinterpret_cast<const char*>(storage.back().data()),
                     static_cast<int64_t>(storage.back().size() * sizeof(uint16_t))});
  }
  write_safetensors(path, views, {{"format", "pt"}});
}

}  // namespace

void import_gguf(const Path& gguf, const Path& folder) {
  const GgufFile file(gguf);
  const Json config = config_of(file);
  Json generation = Json::object();
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    if (config.contains(key)) generation[key] = config[key];
  }
  AtomicFolder out(folder);
  write_file(out.path() / "config.json", config.dump(2));
  write_file(out.path() / "generation_config.json", generation.dump(2));
  write_file(out.path() / "tokenizer.json", print_json(gguf_tokenizer(file)));
  write_file(out.path() / "tokenizer_config.json", print_json(gguf_tokenizer_config(file)));
  const Json* chat = file.value("tokenizer.chat_template");
  if (chat && chat->is_string()) {
    write_file(out.path() / "chat_template.jinja", chat->get_ref<const std::string&>());
  }
  write_weights(file, out.path() / "model.safetensors");
  out.commit();
}

}  // namespace hone::io
