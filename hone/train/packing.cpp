#include "hone/train/packing.h"

#include <ATen/ops/tensor.h>

#include <utility>

namespace hone::train {

int64_t Packer::append(std::span<const int32_t> tokens, int64_t parent) {
  const int64_t begin = token_count();
  int64_t position = 0;
  if (parent >= 0) {
    const auto& trunk = batch_.segments[parent];
    position = batch_.positions[trunk.begin + trunk.count - 1] + 1;
  }
  for (int32_t token : tokens) {
    batch_.tokens.push_back(token);
    batch_.positions.push_back(static_cast<int32_t>(position++));
  }
  batch_.segments.push_back({begin, static_cast<int64_t>(tokens.size()), parent});
  return static_cast<int64_t>(batch_.segments.size()) - 1;
}

int64_t Packer::add_trunk(std::span<const int32_t> tokens, int64_t parent) {
  HONE_ASSERT(!tokens.empty(), "an empty trunk");
  return append(tokens, parent);
}

void Packer::add_leaf(std::span<const int32_t> tokens, int64_t parent,
                      std::span<const uint8_t> scored, int64_t sequence) {
  HONE_ASSERT(!tokens.empty() && (scored.empty() || scored.size() == tokens.size()),
              "sequence {}: {} tokens, {} marks", sequence, tokens.size(), scored.size());
  const int64_t begin = token_count();
  for (size_t t = 0; t < tokens.size(); ++t) {
    if (!scored.empty() && !scored[t]) continue;
    HONE_ASSERT(t > 0 || parent >= 0, "sequence {}: nothing predicts its first token", sequence);
    const int64_t row = t > 0 ? begin + static_cast<int64_t>(t) - 1
                              : batch_.segments[parent].begin + batch_.segments[parent].count - 1;
    batch_.rows.push_back(static_cast<int32_t>(row));
    batch_.targets.push_back(tokens[t]);
    batch_.sources.push_back({sequence, static_cast<int64_t>(t)});
  }
  if (tokens.size() > 1) append(tokens.first(tokens.size() - 1), parent);
}

PackedBatch Packer::take() {
  return std::exchange(batch_, {});
}

nn::Batch PackedBatch::batch(at::Device device) const {
  return {.tokens = at::tensor(tokens, at::kInt).to(device),
          .positions = at::tensor(positions, at::kInt).to(device),
          .plan = ops::plan_forest(segments)};
}

}  // namespace hone::train
