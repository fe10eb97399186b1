#pragma once

#include <tuple>

#include "hone/tensor/parameter.h"

namespace hone::ops {

/// What turns a logit into z: z = cap(logit) * inverse_temperature.
struct HeadOptions {
  double softcap = 0;  // > 0: cap(x) = softcap * tanh(x / softcap) (Gemma 2, 2408.00118)
};

/// log softmax(z)[target] and the entropy -Σ p log p (nats) of each row, float32 [R] each, without
/// holding the logits. x is [R, D] of the weight's dtype, weight [V, D], targets int32 [R],
/// inverse_temperature float32 [R].
std::tuple<at::Tensor, at::Tensor> log_probs(const at::Tensor& x_RD, const Parameter& weight_VD,
                                             const at::Tensor& targets_R,
                                             const at::Tensor& inverse_temperature_R,
                                             const HeadOptions& options);

/// Capped logits at temperature 1, float32 [R, V], no gradient; rows of these give the same bits
/// as log_probs.
at::Tensor logits(const at::Tensor& x_RD, const Parameter& weight_VD, const HeadOptions& options);

/// log softmax(logits * inverse_temperature)[target] from whole rows: the bits of log_probs.
at::Tensor log_probs_of_logits(const at::Tensor& logits_RV, const at::Tensor& targets_R,
                               const at::Tensor& inverse_temperature_R);

namespace plain {
std::tuple<at::Tensor, at::Tensor> log_probs(const at::Tensor& x_RD, const Parameter& weight_VD,
                                             const at::Tensor& targets_R,
                                             const at::Tensor& inverse_temperature_R,
                                             const HeadOptions& options);
at::Tensor logits(const at::Tensor& x_RD, const Parameter& weight_VD, const HeadOptions& options);
at::Tensor log_probs_of_logits(const at::Tensor& logits_RV, const at::Tensor& targets_R,
                               const at::Tensor& inverse_temperature_R);
}  // namespace plain

}  // namespace hone::ops
