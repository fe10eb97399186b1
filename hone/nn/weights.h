#pragma once

#include <deque>
#include <string>
#include <vector>

#include "hone/tensor/parameter.h"

namespace hone::nn {

/// Rows [row_begin, row_begin + row_count) of a parameter are the checkpoint's tensor `name`.
struct CheckpointSlice {
  std::string name;
  int64_t row_begin = 0, row_count = 0;
};

/// A parameter and the checkpoint tensors it is made of: q, k and v projections are one matrix.
struct WeightEntry {
  Parameter parameter;
  std::vector<CheckpointSlice> slices;
};

/// All parameters of a model, once (law 1), and the number of optimizer steps that made them.
class Weights {
 public:
  Weights(at::ScalarType type, at::Device device) : type_(type), device_(device) {}

  /// Adds a parameter of `shape` filled with zeros; the reference stays valid. `slices` name its
  /// rows in the checkpoint, in order.
  Parameter& add(const std::string& name, at::IntArrayRef shape,
                 std::vector<CheckpointSlice> slices);

  std::deque<WeightEntry>& entries() { return entries_; }
  const std::deque<WeightEntry>& entries() const { return entries_; }
  at::ScalarType type() const { return type_; }
  at::Device device() const { return device_; }
  int64_t parameter_count() const;

  /// Each step of the optimizer makes a new epoch; tokens and KV blocks carry it.
  int64_t epoch() const { return epoch_; }
  void advance_epoch() { ++epoch_; }
  void set_epoch(int64_t epoch) { epoch_ = epoch; }

  /// Makes every parameter trainable and gives it a zero gradient.
  void start_training();
  void zero_grad();

 private:
  at::ScalarType type_;
  at::Device device_;
  std::deque<WeightEntry> entries_;
  int64_t epoch_ = 0;
};

}  // namespace hone::nn
