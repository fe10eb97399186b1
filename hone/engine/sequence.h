#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/engine/sampler.h"
#include "hone/engine/sampling.h"

namespace hone::engine {

/// What a client asks for: `samples` continuations of one prompt.
struct Request {
  std::vector<int32_t> prompt = {};
  SamplingParams params = {};
  int64_t samples = 1;
  int32_t priority = 0;         // smaller runs first; equal ones in order of arrival
  uint32_t step = 0, item = 0;  // with params.seed, the name of the random stream
  std::string cache_key = {};   // adapter, images, tenant: KV is shared only under equal keys
};

/// Why a sequence ended.
enum class FinishReason : uint8_t { none, stop_token, stop_string, length, cancelled, failed };

/// The name of a reason as the APIs print it: "stop", "length", "abort", "error"; "" for none.
std::string_view to_string(FinishReason reason);

/// One continuation while it is generated and after. Only the scheduler changes it.
struct Sequence {
  uint64_t request_id = 0;
  int64_t sample_index = 0;
  std::shared_ptr<const Request> request;

  std::vector<int32_t> token_ids;    // the prompt, then the generated tokens
  int64_t prompt_count = 0;          // tokens of the prompt
  int64_t computed_count = 0;        // tokens whose keys and values lie in `blocks`
  int64_t cached_count = 0;          // tokens found in the prefix cache when last admitted
  std::vector<int32_t> blocks;       // block of position p: blocks[p / kKvBlockTokens]
  std::vector<Sequence*> followers;  // samples that wait for this one to compute their prompt

  std::vector<float> log_probs;      // of each generated token
  std::vector<float> raw_log_probs;  // of each generated token
  std::vector<uint64_t> epochs;      // of the weights that made each generated token
  FinishReason finish_reason = FinishReason::none;

  const SamplingParams& params() const { return request->params; }
  int64_t token_count() const { return static_cast<int64_t>(token_ids.size()); }
  int64_t output_count() const { return token_count() - prompt_count; }
  std::span<const int32_t> output() const { return std::span(token_ids).subspan(prompt_count); }
  TokenHistory history() const { return {std::span(token_ids).first(prompt_count), output()}; }

  /// The random number in [0, 1) of the next token: a function of (seed, step, item, sample,
  /// position), so that neither batch nor preemption changes a draw.
  double uniform() const;
};

}  // namespace hone::engine
