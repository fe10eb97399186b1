#include "hone/io/model_folder.h"

#include <fmt/ranges.h>

#include <set>

#include "hone/base/check.h"

namespace hone::io {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace

ModelFolder::ModelFolder(const Path& path) : path_(path) {
  HONE_CHECK(std::filesystem::is_directory(path),
             "{}: there is no such folder; give a Hugging Face folder, as `hone import` or "
             "`hone pull` makes it",
             path.string());
  HONE_CHECK(std::filesystem::exists(path / "config.json"),
             "{}: a model folder needs config.json; it holds {}", path.string(),
             fmt::join(names_in(path), ", "));
  config_ = read_optional("config.json");
  generation_config_ = read_optional("generation_config.json");
  tokenizer_config_ = read_optional("tokenizer_config.json");
}

Json ModelFolder::read_optional(const char* name) const {
  const Path file = path_ / name;
  if (!std::filesystem::exists(file)) return Json::object();
  Json json = parse_json(read_file(file), file.string());
  HONE_CHECK(json.is_object(), "{}: must hold a JSON object", file.string());
  return json;
}

std::vector<std::shared_ptr<const SafetensorsFile>> ModelFolder::weights() const {
  const Path single = path_ / "model.safetensors";
  if (std::filesystem::exists(single)) return {std::make_shared<SafetensorsFile>(single)};
  HONE_CHECK(std::filesystem::exists(path_ / kIndex),
             "{}: neither model.safetensors nor {} is there; it holds {}", path_.string(), kIndex,
             fmt::join(names_in(path_), ", "));
  const Json index = read_optional(kIndex);
  HONE_CHECK(index.contains("weight_map") && index["weight_map"].is_object(),
             "{}: 'weight_map' must be an object", (path_ / kIndex).string());
  std::map<std::string, std::shared_ptr<const SafetensorsFile>> shards;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    HONE_CHECK(shard.is_string() && shard.get<std::string>().find('/') == std::string::npos,
               "{}: the shard of '{}' must be a file name", (path_ / kIndex).string(), tensor);
    auto& file = shards[shard.get<std::string>()];
    if (!file) file = std::make_shared<SafetensorsFile>(path_ / shard.get<std::string>());
    HONE_CHECK(file->find(tensor), "{}: tensor '{}' should be in {}, but is not",
               (path_ / kIndex).string(), tensor, shard.get<std::string>());
  }
  std::vector<std::shared_ptr<const SafetensorsFile>> files;
  for (const auto& [name, file] : shards) files.push_back(file);
  return files;
}

std::string ModelFolder::chat_template() const {
  const Path file = path_ / "chat_template.jinja";
  if (std::filesystem::exists(file)) return read_file(file);
  const auto found = tokenizer_config_.find("chat_template");
  if (found == tokenizer_config_.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  for (const auto& named : *found) {
    if (named.is_object() && named.value("name", "") == "default") {
      return named.value("template", "");
    }
  }
  fail_input("{}: chat_template must be a string or a list with a template named 'default'",
             (path_ / "tokenizer_config.json").string());
}

Json ModelFolder::template_variables() const {
  Json variables = Json::object();
  for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
    const auto found = tokenizer_config_.find(name);
    if (found == tokenizer_config_.end()) continue;
    if (found->is_string()) variables[name] = *found;
    if (found->is_object() && found->contains("content")) variables[name] = (*found)["content"];
  }
  return variables;
}

std::vector<int32_t> ModelFolder::eos_token_ids() const {
  for (const Json* source : {&generation_config_, &config_}) {
    const auto found = source->find("eos_token_id");
    if (found == source->end() || found->is_null()) continue;
    if (found->is_number_integer()) return {found->get<int32_t>()};
    return found->get<std::vector<int32_t>>();
  }
  return {};
}

}  // namespace hone::io
