#include "hone/nn/weights.h"

namespace hone::nn {

Parameter& Weights::add(const std::string& name, at::IntArrayRef shape,
                        std::vector<CheckpointSlice> slices) {
  int64_t rows = 0;
  for (const auto& slice : slices) {
    HONE_ASSERT(slice.row_begin == rows, "{}: slice {} begins at {}", name, slice.name,
                slice.row_begin);
    rows += slice.row_count;
  }
  HONE_ASSERT(rows == shape[0], "{}: slices cover {} of {} rows", name, rows, shape[0]);
  auto& entry = entries_.emplace_back();
  entry.parameter.name = name;
  entry.parameter.value = at::zeros(shape, at::TensorOptions().dtype(type_).device(device_));
  entry.slices = std::move(slices);
  return entry.parameter;
}

int64_t Weights::parameter_count() const {
  int64_t count = 0;
  for (const auto& entry : entries_) count += entry.parameter.value.numel();
  return count;
}

void Weights::start_training() {
  for (auto& entry : entries_) {
    entry.parameter.value.set_requires_grad(true);
    entry.parameter.allocate_grad();
  }
}

void Weights::zero_grad() {
  for (auto& entry : entries_) {
    if (entry.parameter.grad.defined()) entry.parameter.grad.zero_();
  }
}

}  // namespace hone::nn
