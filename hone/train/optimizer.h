#pragma once

#include <vector>

#include "hone/nn/weights.h"

namespace hone::train {

/// The table [optim] of a run file.
struct OptimizerConfig {
  double lr = 1e-6, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0, max_grad_norm = 1;

  static void fields(auto&& self, auto&& visit) {
    visit("lr", self.lr, "highest learning rate");
    visit("beta1", self.beta1, "decay of AdamW's first moment");
    visit("beta2", self.beta2, "decay of AdamW's second moment");
    visit("eps", self.eps, "AdamW's epsilon, added to the root of the second moment");
    visit("weight_decay", self.weight_decay,
          "decoupled decay, times the learning rate, on matrices");
    visit("max_grad_norm", self.max_grad_norm, "gradients are scaled down to this norm; 0: never");
  }
};

/// AdamW (1711.05101) with float32 master weights and moments. Decay applies to matrices only.
/// The only maker of weight epochs.
class AdamW {
 public:
  AdamW(const OptimizerConfig& config, nn::Weights& weights);

  /// One step with the gradients in the weights, which it then zeroes; returns the gradient norm
  /// before clipping. A norm that is not finite is an error and changes nothing.
  double step(double lr);

  int64_t step_count() const { return step_count_; }
  void set_step_count(int64_t count) { step_count_ = count; }

  /// What a checkpoint holds besides the weights: "NAME.master", "NAME.m", "NAME.v".
  struct NamedTensor {
    std::string name;
    at::Tensor tensor;
  };
  std::vector<NamedTensor> state() const;

 private:
  struct Slot {
    Parameter* parameter;
    at::Tensor master, first_moment, second_moment;
  };
  void step_slot(Slot& slot, double lr, double grad_scale) const;

  OptimizerConfig config_;
  nn::Weights& weights_;
  std::vector<Slot> slots_;
  int64_t step_count_ = 0;
};

}  // namespace hone::train
