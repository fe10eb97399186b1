#include "hone/train/checkpoint.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>

#include "hone/base/log.h"
#include "hone/io/model_folder.h"
#include "hone/io/safetensors.h"

namespace hone::train {
namespace {

constexpr const char* kTextFiles[] = {"generation_config.json", "tokenizer.json",
                                      "tokenizer_config.json", "special_tokens_map.json",
                                      "chat_template.jinja"};

void write_model(const models::Model& model, const ModelFiles& files, const Path& folder) {
  model.save(folder);
  for (const char* name : kTextFiles) {
    const Path source = files.folder / name;
    if (std::filesystem::exists(source)) write_file(folder / name, read_file(source));
  }
}

void write_optimizer(const AdamW& optimizer, const Path& path) {
  std::vector<at::Tensor> hosts;
  std::vector<io::TensorView> tensors;
  for (const auto& [name, tensor] : optimizer.state()) {
    hosts.push_back(tensor.cpu().contiguous());
    tensors.push_back({name, io::ElementType::f32, tensor.sizes().vec(),
                       static_cast<const char*>(hosts.back().const_data_ptr()),
                       static_cast<int64_t>(hosts.back().nbytes())});
  }
  io::write_safetensors(path, tensors, {});
}

Path checkpoint_path(const Path& run_folder, int64_t step) {
  return run_folder / "checkpoints" / fmt::format("step-{:08}", step);
}

/// All complete checkpoints, oldest first. A folder without state.json was never committed.
std::vector<Path> list_checkpoints(const Path& run_folder) {
  std::vector<Path> found;
  const Path folder = run_folder / "checkpoints";
  if (!std::filesystem::exists(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool complete = name.starts_with("step-") && name.find(".tmp") == std::string::npos;
    if (complete && std::filesystem::exists(entry.path() / "state.json")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

models::LoadOptions load_options(const ModelOptions& options) {
  return {.type = options.dtype == WeightType::f32 ? at::kFloat : at::kBFloat16,
          .device = at::Device(options.device)};
}

ModelFiles ModelFiles::load(const Path& folder) {
  const io::ModelFolder files(folder);
  return {.folder = folder,
          .tokenizer = text::Tokenizer::from_file(folder / "tokenizer.json"),
          .chat_template = text::ChatTemplate::parse(files.chat_template()),
          .template_variables = files.template_variables(),
          .eos_token_ids = files.eos_token_ids()};
}

void save_model(const models::Model& model, const ModelFiles& files, const Path& folder) {
  AtomicFolder target(folder);
  write_model(model, files, target.path());
  target.commit();
}

void save_checkpoint(const Path& run_folder, const models::Model& model, const ModelFiles& files,
                     const AdamW& optimizer, const TrainState& state, int64_t keep) {
  AtomicFolder target(checkpoint_path(run_folder, state.next_step));
  write_model(model, files, target.path());
  write_optimizer(optimizer, target.path() / "optimizer.safetensors");
  Json hashes = Json::object();
  for (const auto& entry : std::filesystem::directory_iterator(target.path())) {
    hashes[entry.path().filename().string()] = sha256_file(entry.path());
  }
  const Json manifest = {{"next_step", state.next_step},
                         {"optimizer_steps", optimizer.step_count()},
                         {"epoch", model.weights().epoch()},
                         {"trainer", state.trainer},
                         {"sha256", hashes}};
  write_file(target.path() / "state.json", manifest.dump(2) + "\n");
  target.commit();
  const auto all = list_checkpoints(run_folder);
  for (int64_t i = 0; i + keep < static_cast<int64_t>(all.size()); ++i) {
    std::filesystem::remove_all(all[i]);
  }
}

std::optional<Path> find_checkpoint(const Path& run_folder) {
  const auto all = list_checkpoints(run_folder);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

TrainState read_checkpoint(const Path& checkpoint) {
  const Path path = checkpoint / "state.json";
  const Json manifest = parse_json(read_file(path), path.string());
  for (const auto& [name, hash] : manifest.at("sha256").items()) {
    HONE_CHECK(sha256_file(checkpoint / name) == hash.get<std::string>(),
               "{}: its SHA-256 differs from the one in state.json: the file changed after it was "
               "saved; remove the folder to continue from the checkpoint before",
               (checkpoint / name).string());
  }
  return {manifest.at("next_step").get<int64_t>(), manifest.at("trainer")};
}

void load_optimizer(const Path& checkpoint, AdamW& optimizer, nn::Weights& weights) {
  const at::NoGradGuard no_grad;
  const Path path = checkpoint / "state.json";
  const Json manifest = parse_json(read_file(path), path.string());
  const io::SafetensorsFile file(checkpoint / "optimizer.safetensors");
  for (auto& [name, tensor] : optimizer.state()) {
    const io::TensorView& view = file.tensor(name);
    HONE_CHECK(view.shape == tensor.sizes().vec(),
               "{}: the optimizer state of '{}' has another shape than the model",
               checkpoint.string(), name);
    tensor.copy_(at::from_blob(const_cast<char*>(view.data), tensor.sizes(), at::kFloat));
  }
  optimizer.set_step_count(manifest.at("optimizer_steps").get<int64_t>());
  weights.set_epoch(manifest.at("epoch").get<int64_t>());
}

}  // namespace hone::train
