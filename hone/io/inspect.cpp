#include "hone/io/inspect.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "hone/base/check.h"
#include "hone/io/gguf.h"
#include "hone/io/model_folder.h"

namespace hone::io {
namespace {

/// Adds one tensor to the list and the counts.
void add_tensor(Json& result, const std::string& name, const std::string& type,
                const std::vector<int64_t>& shape) {
  const int64_t count = element_count(shape).value_or(0);
  result["parameters"] = result.value("parameters", int64_t{0}) + count;
  Json& types = result["types"];
  types[type] = (types.contains(type) ? types[type].get<int64_t>() : 0) + count;
  result["tensors"].push_back({{"name", name}, {"type", type}, {"shape", shape}});
}

void add_safetensors(Json& result, const SafetensorsFile& file) {
  for (const auto& tensor : file.tensors()) {
    add_tensor(result, tensor.name, element_name(tensor.type), tensor.shape);
  }
}

void copy_member(const Json& from, const char* key, Json& to, const char* name) {
  const auto found = from.find(key);
  if (found != from.end() && !found->is_null()) to[name] = *found;
}

/// Kind and number of entries of tokenizer.json; tokens added beyond the vocabulary count too.
void add_tokenizer(Json& result, const Json& json, const Path& path) {
  const Json model = json.is_object() ? json.value("model", Json()) : Json();
  const bool right = model.is_object() && model.contains("vocab") && model["vocab"].is_structured();
  HONE_CHECK(right, "{}: 'model' must be an object with a 'vocab'", path.string());
  result["tokenizer"] = model.value("type", Json("BPE"));
  size_t size = model["vocab"].size();
  for (const Json& token : json.value("added_tokens", Json::array())) {
    if (!token.is_object()) continue;
    const Json id = token.value("id", Json());
    if (id.is_number_unsigned()) size = std::max(size, id.get<size_t>() + 1);
  }
  result["tokenizer_size"] = size;
}

Json inspect_folder(const Path& path) {
  const ModelFolder folder(path);
  const Json& config = folder.config();
  Json result = {{"kind", "Hugging Face folder"}};
  if (config.contains("architectures") && !config["architectures"].empty()) {
    result["architecture"] = config["architectures"][0];
  }
  copy_member(config, "num_hidden_layers", result, "layers");
  copy_member(config, "hidden_size", result, "hidden");
  copy_member(config, "num_attention_heads", result, "heads");
  copy_member(config, "num_key_value_heads", result, "kv_heads");
  copy_member(config, "vocab_size", result, "vocabulary");
  copy_member(config, "max_position_embeddings", result, "context");
  const Path tokenizer = path / "tokenizer.json";
  if (std::filesystem::exists(tokenizer)) {
    add_tokenizer(result, parse_json(read_file(tokenizer), tokenizer.string()), tokenizer);
  }
  result["chat_template"] = !folder.chat_template().empty();
  for (const auto& file : folder.weights()) add_safetensors(result, *file);
  return result;
}

Json inspect_gguf(const Path& path) {
  const GgufFile file(path);
  Json result = {{"kind", "GGUF"}};
  if (const Json* name = file.value("general.architecture")) {
    result["architecture"] = *name;
    const std::string prefix = name->is_string() ? name->get<std::string>() : "";
    for (const auto& [key, member] : {std::pair{".block_count", "layers"},
                                      {".embedding_length", "hidden"},
                                      {".attention.head_count", "heads"},
                                      {".attention.head_count_kv", "kv_heads"},
                                      {".context_length", "context"}}) {
      if (const Json* value = file.value(prefix + key)) result[member] = *value;
    }
  }
  if (const Json* model = file.value("tokenizer.ggml.model")) result["tokenizer"] = *model;
  if (const Json* tokens = file.value("tokenizer.ggml.tokens")) {
    result["tokenizer_size"] = tokens->size();
  }
  if (const GgufTensor* embedding = file.tensor("token_embd.weight")) {
    if (embedding->shape.size() == 2) result["vocabulary"] = embedding->shape[0];
  }
  result["chat_template"] = file.value("tokenizer.chat_template") != nullptr;
  for (const auto& tensor : file.tensors()) {
    const auto type = static_cast<uint32_t>(tensor.type);
    add_tensor(result, tensor.name, std::string(gguf_block(type)->name), tensor.shape);
  }
  return result;
}

}  // namespace

Json inspect(const Path& path) {
  if (std::filesystem::is_directory(path)) return inspect_folder(path);
  if (path.extension() == ".gguf") return inspect_gguf(path);
  HONE_CHECK(path.extension() == ".safetensors",
             "{}: must be a Hugging Face folder, a .safetensors or a .gguf file", path.string());
  Json result = {{"kind", "safetensors"}};
  add_safetensors(result, SafetensorsFile(path));
  return result;
}

std::string print_inspection(const Json& inspection) {
  std::string text;
  for (const auto& [key, value] : inspection.items()) {
    if (key == "tensors") {
      text += fmt::format("{:14} {}\n", key, value.size());
    } else if (key == "types") {
      std::vector<std::string> types;
      for (const auto& [type, count] : value.items()) {
        types.push_back(fmt::format("{} {}", type, count.get<int64_t>()));
      }
      text += fmt::format("{:14} {}\n", key, fmt::join(types, ", "));
    } else {
      text += fmt::format("{:14} {}\n", key,
                          value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return text;
}

}  // namespace hone::io
