#pragma once

#include "hone/data/json_lines.h"
#include "hone/engine/sequence.h"
#include "hone/text/tokenizer.h"
#include "hone/train/checkpoint.h"

namespace hone::cli {

/// The prompt of an input line: exactly one of `prompt` (text), `messages` (a conversation, through
/// the chat template) and `token_ids`.
std::vector<int32_t> prompt_tokens(const data::JsonLine& line, const train::ModelFiles& files);

/// The request of a line: its prompt, `defaults` and whatever sampling fields the line sets. An
/// unknown field is an input error that names the nearest.
engine::Request make_request(const data::JsonLine& line, const train::ModelFiles& files,
                             const engine::SamplingParams& defaults);

}  // namespace hone::cli
