#pragma once

#include "hone/base/cpu.h"
#include "hone/base/threads.h"
#include "hone/kernels/types.h"

/// Row-wise kernels around the matrix products. Each row is computed in one fixed order; rows are
/// shared out over the threads. Each has a plain twin `…_reference` in double precision.
namespace hone::kernels {

/// y = x / sqrt(mean(x²) + eps) * (weight + weight_offset) per row (Zhang & Sennrich, 1910.07467;
/// weight_offset is 1 for Gemma). x f32 with `x_stride`, y of `type` contiguous.
struct RmsNorm {
  int64_t rows = 0, columns = 0;
  const float* x = nullptr;
  int64_t x_stride = 0;
  const float* weight = nullptr;
  float weight_offset = 0, eps = 0;
  DType type = DType::f32;
  void* y = nullptr;
  float* inverse_rms = nullptr;  // [rows]
};
void rms_norm(const RmsNorm& problem, Isa isa = current_isa(),
              ThreadPool& pool = ThreadPool::global());
void rms_norm_reference(const RmsNorm& problem);

/// grad_x is overwritten (contiguous), grad_weight is added to; grad_y holds `type`. The sum over
/// rows for grad_weight runs in row order within fixed blocks of rows, whatever the threads.
struct RmsNormBackward {
  RmsNorm forward;
  const void* grad_y = nullptr;
  float* grad_x = nullptr;
  float* grad_weight = nullptr;
};
void rms_norm_backward(const RmsNormBackward& problem, Isa isa = current_isa(),
                       ThreadPool& pool = ThreadPool::global());
void rms_norm_backward_reference(const RmsNormBackward& problem);

/// Rotary embedding (Su et al., 2104.09864) in the half-split form of Hugging Face: pairs
/// (x[i], x[i + rotary_dim/2]) turn by position * frequency[i]. cosine and sine are
/// [positions][rotary_dim / 2]; elements from rotary_dim on are copied. `inverse` turns back,
/// which is the backward. x is [tokens][heads][head_dim] with `x_stride` elements between tokens.
struct Rope {
  int64_t tokens = 0, heads = 0, head_dim = 0, rotary_dim = 0;
  const int32_t* positions = nullptr;
  const float *cosine = nullptr, *sine = nullptr;
  bool inverse = false;
  DType x_type = DType::f32;
  const void* x = nullptr;
  int64_t x_stride = 0;
  DType y_type = DType::f32;
  void* y = nullptr;
  int64_t y_stride = 0;
};
void rope(const Rope& problem, Isa isa = current_isa(), ThreadPool& pool = ThreadPool::global());
void rope_reference(const Rope& problem);

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

/// out[t] = scale * table[ids[t]] in f32; table is [vocabulary][columns] of `type`.
struct Embedding {
  int64_t tokens = 0, columns = 0;
  const int32_t* ids = nullptr;
  DType type = DType::f32;
  const void* table = nullptr;
  float scale = 1;
  float* out = nullptr;
};
void embedding(const Embedding& problem, ThreadPool& pool = ThreadPool::global());
/// grad_table[ids[t]] += scale * grad_out[t] in token order, whatever the threads.
void embedding_backward(const Embedding& problem, const float* grad_out, float* grad_table,
                        ThreadPool& pool = ThreadPool::global());

}  // namespace hone::kernels
