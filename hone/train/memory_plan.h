#pragma once

#include <string>
#include <vector>

#include "hone/models/model.h"
#include "hone/train/run_config.h"

namespace hone::train {

/// One line of the memory table.
struct MemoryRow {
  std::string what;
  int64_t bytes = 0;
};

/// What a run holds at its peak, beside the program itself: weights, gradients and optimizer state
/// to the byte, activations as the sum of what each layer's backward keeps of one micro-batch.
struct MemoryPlan {
  std::vector<MemoryRow> rows;

  int64_t total_bytes() const;
  /// One line a row, then the total and what the machine has.
  std::string table() const;
};

/// config.json's model without any memory behind its weights: for counting.
std::unique_ptr<models::Model> outline_model(const RunOptions& options);

/// The rows that all trainers share; `model` is an outline or the model itself.
MemoryPlan plan_memory(const RunOptions& options, const models::Model& model);

/// Throws an input error that names `remedy` where the plan exceeds this machine's memory.
void check_memory(const MemoryPlan& plan, const std::string& remedy);

}  // namespace hone::train
