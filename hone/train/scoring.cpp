#include "hone/train/scoring.h"

#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

namespace hone::train {

Scores score(const models::Model& model, const PackedBatch& batch, const ScoreOptions& options) {
  const auto device = model.weights().device();
  const auto& decoder = model.decoder();
  const at::Tensor hidden_TD = decoder.forward(batch.batch(device), nullptr, options.recompute);
  const at::Tensor rows = at::tensor(batch.rows, at::kInt).to(device);
  const at::Tensor hidden_RD = at::index_select(hidden_TD, 0, rows);
  // The engine computes 1 / temperature in float32 too.
  const float inverse_temperature = 1 / static_cast<float>(options.temperature);
  const auto [log_prob, entropy] = ops::log_probs(
      hidden_RD, decoder.head(), at::tensor(batch.targets, at::kInt).to(device),
      at::full({rows.size(0)}, inverse_temperature, at::TensorOptions(at::kFloat).device(device)),
      decoder.config().head);
  return {log_prob, entropy};
}

}  // namespace hone::train
