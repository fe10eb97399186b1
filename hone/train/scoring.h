#pragma once

#include "hone/models/model.h"
#include "hone/train/packing.h"

namespace hone::train {

struct ScoreOptions {
  double temperature = 1;  // the log-probability is that of softmax(logits / temperature)
  bool recompute = false;  // keep only each layer's input for the backward
};

/// float32 [rows]: log-probability of each target and entropy (nats) of its distribution.
struct Scores {
  at::Tensor log_prob, entropy;
};

/// The training forward over a packed batch. Records the graph where gradients are enabled and the
/// weights are trainable.
Scores score(const models::Model& model, const PackedBatch& batch, const ScoreOptions& options);

}  // namespace hone::train
