#pragma once

#include <span>
#include <string>

#include "hone/train/checkpoint.h"
#include "hone/train/memory_plan.h"
#include "hone/train/sft_config.h"

namespace hone::train {

/// Text of the tokens with every run of trained ones (trained[i] != 0) between « and ».
std::string marked_text(const text::Tokenizer& tokenizer, std::span<const int32_t> tokens,
                        std::span<const uint8_t> trained);

/// "method sft, 100 steps …" and the model: the head of every plan.
std::string describe_model(const RunOptions& options, const models::Model& outline);

/// What a run would do, without loading a weight: the plan, the memory table and the conversations
/// of the first step as text, trained tokens marked. The same input errors as the run's own start.
std::string dry_run(const SftConfig& config);

}  // namespace hone::train
