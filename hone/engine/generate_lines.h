#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json.h"
#include "hone/engine/sampling.h"
#include "hone/engine/sequence.h"

namespace hone::engine {

/// One line of the input of `hone generate`, e.g.
///   {"id": "q7", "prompt": "2+2=", "samples": 4, "sampling": {"temperature": 0.7}, "answer": "4"}
/// with exactly one of prompt, messages and prompt_token_ids. Other keys are the user's own
/// columns.
struct GenerateLine {
  Json id;                                // null if the line has none
  Json prompt;                            // a string, or null
  Json messages, tools;                   // a conversation, or null
  std::vector<int32_t> prompt_token_ids;  // or empty
  int64_t samples = 1;
  SamplingParams params;
  Json columns;  // the user's own, an object in their order
};

/// Reads one line; `defaults` are the options of the command. Errors begin with `origin`, e.g.
/// "prompts.jsonl line 3".
GenerateLine parse_generate_line(std::string_view line, std::string_view origin,
                                 const SamplingParams& defaults);

/// What the output line of a finished sequence says besides its text.
struct GenerateDetail {
  bool token_ids = false;  // of the output
  bool log_probs = false;  // log_probs and raw_log_probs, which read back with the same bits
  bool epochs = false;     // of the weights that made each token
};

/// One output line, without newline: id, sample, text, finish_reason, prompt_tokens and
/// output_tokens, the detail asked for, then the user's own columns.
std::string print_generate_line(const GenerateLine& line, const Sequence& sequence,
                                std::string_view text, const GenerateDetail& detail);

}  // namespace hone::engine
