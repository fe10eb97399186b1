#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hone/engine/sampling.h"

namespace hone::engine {

/// The tokens before the one to draw.
struct TokenHistory {
  std::span<const int32_t> prompt;
  std::span<const int32_t> output;
};

/// `token` is kNoToken when nothing can be drawn. `log_prob` is that of the filtered distribution;
/// nullopt means the draw was from plain softmax(logits / temperature), whose log-probability the
/// caller asks from kernels::logit_log_probs so that its bits are the trainer's.
struct Choice {
  int32_t token = kNoToken;
  std::optional<float> log_prob;
};

/// Draws the next token from one row of raw logits by inverting the cumulative distribution, tokens
/// in id order, at `uniform` in [0, 1): a pure function of its arguments. Order as in vLLM: stop
/// tokens masked before min_tokens, penalties, then greedy (lowest id wins a tie, log_prob 0) or
/// temperature, min_p, top_k (lowest ids win ties), top_p, each on what the one before left.
Choice choose_token(std::span<const float> logits, const SamplingParams& params,
                    const TokenHistory& history, double uniform);

}  // namespace hone::engine
