#include "hone/models/model.h"

#include <fmt/ranges.h>

#include <map>

#include "hone/io/model_folder.h"
#include "hone/io/safetensors.h"
#include "hone/models/registry.h"

namespace hone::models {
namespace {

io::ElementType element_type(at::ScalarType type) {
  return type == at::kFloat ? io::ElementType::f32 : io::ElementType::bf16;
}

/// Copies a checkpoint tensor into `rows`, converting its dtype.
void copy_rows(const io::TensorView& tensor, const at::Tensor& rows) {
  const auto shape = rows.sizes().vec();
  HONE_CHECK(tensor.shape == shape, "{}: the model needs shape [{}], but the file has [{}]",
             tensor.name, fmt::join(shape, ", "), fmt::join(tensor.shape, ", "));
  const at::Tensor host = at::empty(rows.sizes(), rows.options().device(at::kCPU));
  if (rows.scalar_type() == at::kFloat) {
    io::to_f32(tensor, host.mutable_data_ptr<float>());
  } else {
    io::to_bf16(tensor, static_cast<uint16_t*>(host.mutable_data_ptr()));
  }
  rows.copy_(host);
}

}  // namespace

Model::Model(Json config, const LoadOptions& options)
    : config_(std::move(config)),
      weights_(options.type, options.device),
      decoder_(decoder_config(config_), weights_) {}

std::unique_ptr<Model> Model::load(const Path& folder, const LoadOptions& options) {
  const at::NoGradGuard no_grad;
  const io::ModelFolder files(folder);
  const auto shards = files.weights();
  std::map<std::string, const io::TensorView*> tensors;
  for (const auto& shard : shards) {
    for (const auto& tensor : shard->tensors()) tensors[tensor.name] = &tensor;
  }
  auto model = std::make_unique<Model>(files.config(), options);
  for (auto& entry : model->weights_.entries()) {
    for (const auto& slice : entry.slices) {
      const auto found = tensors.find(slice.name);
      HONE_CHECK(found != tensors.end(), "{}: tensor '{}' is missing", folder.string(), slice.name);
      copy_rows(*found->second, entry.parameter.value.narrow(0, slice.row_begin, slice.row_count));
      tensors.erase(found);
    }
  }
  // A tied head may be stored as well; it is the embedding.
  if (model->decoder_.config().tied_head) tensors.erase("lm_head.weight");
  HONE_CHECK(tensors.empty(),
             "{}: tensor '{}' is unknown to {}; the model would not be its "
             "checkpoint",
             folder.string(), tensors.begin()->first, model->config_["architectures"][0].dump());
  return model;
}

void Model::save(const Path& folder) const {
  std::vector<at::Tensor> hosts;
  std::vector<io::TensorView> tensors;
  for (const auto& entry : weights_.entries()) {
    const at::Tensor host = entry.parameter.value.detach().cpu().contiguous();
    hosts.push_back(host);
    const int64_t row_bytes = host.nbytes() / host.size(0);
    for (const auto& slice : entry.slices) {
      auto shape = host.sizes().vec();
      shape[0] = slice.row_count;
      tensors.push_back(
          {slice.name, element_type(host.scalar_type()), shape,
           static_cast<const char*>(host.const_data_ptr()) + slice.row_begin * row_bytes,
           slice.row_count * row_bytes});
    }
  }
  io::write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  Json config = config_;
  config["dtype"] = weights_.type() == at::kFloat ? "float32" : "bfloat16";
  write_file(folder / "config.json", config.dump(2) + "\n");
}

}  // namespace hone::models
