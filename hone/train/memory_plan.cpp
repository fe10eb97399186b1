#include "hone/train/memory_plan.h"

#include <numeric>

#include "hone/base/cpu.h"
#include "hone/io/model_folder.h"
#include "hone/train/checkpoint.h"

namespace hone::train {
namespace {

std::string gibibytes(int64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (int64_t{1} << 30));
}

/// Bytes that the backward of one layer keeps of one token.
int64_t layer_bytes(const nn::DecoderConfig& config, int64_t element) {
  const int64_t q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const int64_t residuals = 2 * 4 * config.hidden, normed = 2 * element * config.hidden;
  const int64_t attention = element * (2 * q + 2 * kv) + 4 * config.heads;
  const int64_t head_norms = config.names.q_norm.empty() ? 0 : 4 * (q + kv);
  const int64_t post_norms = config.names.attention_post_norm.empty() ? 0 : 2 * 4 * config.hidden;
  const int64_t feed_forward = (2 * 4 + element) * config.intermediate;
  return residuals + normed + attention + head_norms + post_norms + feed_forward;
}

}  // namespace

int64_t MemoryPlan::total_bytes() const {
  return std::accumulate(rows.begin(), rows.end(), int64_t{0},
                         [](int64_t sum, const MemoryRow& row) { return sum + row.bytes; });
}

std::string MemoryPlan::table() const {
  std::string text;
  for (const MemoryRow& row : rows) {
    text += fmt::format("  {:<44}{:>12}\n", row.what, gibibytes(row.bytes));
  }
  return text + fmt::format("  {:<44}{:>12} of {}\n", "together", gibibytes(total_bytes()),
                            gibibytes(usable_memory_bytes()));
}

std::unique_ptr<models::Model> outline_model(const RunOptions& options) {
  models::LoadOptions outline = load_options(options.model);
  outline.device = at::kMeta;
  return std::make_unique<models::Model>(io::ModelFolder(options.model.path).config(), outline);
}

MemoryPlan plan_memory(const RunOptions& options, const models::Model& model) {
  const auto& config = model.decoder().config();
  const int64_t parameters = model.weights().parameter_count();
  const int64_t element = model.weights().type() == at::kFloat ? 4 : 2;
  const int64_t tokens = options.train.max_tokens_per_micro_batch;
  const auto layers = static_cast<int64_t>(config.layers.size());
  const int64_t layer = layer_bytes(config, element);
  // What the backward makes of one layer while it is there: gradients in float32 of the widest.
  const int64_t working = 4 * (4 * config.intermediate + 4 * config.hidden);
  const int64_t kept =
      options.train.recompute ? layers * 4 * config.hidden + layer : layers * layer;
  return {{{fmt::format("weights, {}", element == 4 ? "f32" : "bf16"), element * parameters},
           {"gradients, f32", 4 * parameters},
           {"master weights and two moments, f32", 12 * parameters},
           {fmt::format("activations of {} tokens{}", tokens,
                        options.train.recompute ? ", recomputed" : ""),
            tokens * (kept + working)}}};
}

void check_memory(const MemoryPlan& plan, const std::string& remedy) {
  HONE_CHECK(plan.total_bytes() <= usable_memory_bytes(),
             "the run needs {} of memory, but this machine gives {}; {}\n{}",
             gibibytes(plan.total_bytes()), gibibytes(usable_memory_bytes()), remedy, plan.table());
}

}  // namespace hone::train
