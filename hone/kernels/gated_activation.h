#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

namespace hone::kernels {

/// The function that is applied to the gate.
enum class Activation { silu, gelu_tanh };

/// y = activation(gate) * up; gate_up is f32 [rows][2 * columns] (gate first), y of `type`
/// contiguous (Shazeer, 2002.05202).
struct GatedActivation {
  int64_t rows = 0, columns = 0;
  Activation activation = Activation::silu;
  const float* gate_up = nullptr;
  DType type = DType::f32;
  void* y = nullptr;
};
void gated_activation(const GatedActivation& problem, Isa isa = current_isa(),
                      ThreadPool& pool = ThreadPool::global());
void gated_activation_reference(const GatedActivation& problem);

/// grad_gate_up is f32 [rows][2 * columns], overwritten; grad_y holds `type`.
struct GatedActivationBackward {
  GatedActivation forward;
  const void* grad_y = nullptr;
  float* grad_gate_up = nullptr;
};
void gated_activation_backward(const GatedActivationBackward& problem, Isa isa = current_isa(),
                               ThreadPool& pool = ThreadPool::global());
void gated_activation_backward_reference(const GatedActivationBackward& problem);

}  // namespace hone::kernels
