#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::engine {

/// How tokens are drawn and when a sequence ends. Names and defaults are those of vLLM, but for
/// max_tokens. The caller adds the model's EOS tokens to stop_token_ids unless ignore_eos is set.
struct SamplingParams {
  float temperature = 1;
  int32_t top_k = 0;
  float top_p = 1;
  float min_p = 0;
  float repetition_penalty = 1;
  float frequency_penalty = 0;
  float presence_penalty = 0;
  int32_t max_tokens = 256;
  int32_t min_tokens = 0;
  std::vector<int32_t> stop_token_ids = {};
  std::vector<std::string> stop = {};
  bool include_stop = false;
  bool ignore_eos = false;
  uint64_t seed = 0;

  static void fields(auto&& self, auto&& visit) {
    visit("temperature", self.temperature, "Divides the logits; 0 takes the best token.");
    visit("top_k", self.top_k, "Keep the k best tokens; 0 keeps all.");
    visit("top_p", self.top_p, "Keep the best tokens until their probabilities sum to this.");
    visit("min_p", self.min_p, "Keep tokens at least this fraction as probable as the best one.");
    visit("repetition_penalty", self.repetition_penalty,
          "Divides positive and multiplies negative logits of tokens seen in prompt or output.");
    visit("frequency_penalty", self.frequency_penalty,
          "Subtracted from a logit for each time its token was generated.");
    visit("presence_penalty", self.presence_penalty,
          "Subtracted once from the logits of generated tokens.");
    visit("max_tokens", self.max_tokens, "Most tokens to generate.");
    visit("min_tokens", self.min_tokens, "Stop tokens are not drawn before this many tokens.");
    visit("stop_token_ids", self.stop_token_ids, "Tokens that end the sequence, besides the EOS.");
    visit("stop", self.stop, "Strings that end the sequence.");
    visit("include_stop", self.include_stop, "Leave the stop string in the text.");
    visit("ignore_eos", self.ignore_eos, "Do not end at the model's EOS tokens.");
    visit("seed", self.seed, "Names the random numbers of the draws.");
  }

  /// Throws an input error that begins with `origin` and names the field that is out of range.
  void check(std::string_view origin = "sampling") const;
};

/// No token: the logits held NaN or +infinity, or all were -infinity.
inline constexpr int32_t kNoToken = -1;

/// A drawn token with natural log-probabilities.
struct Sample {
  int32_t token = kNoToken;
  float log_prob = 0;      // of the distribution drawn from: after penalties, temperature, filters
  float raw_log_prob = 0;  // of softmax(logits)
};

}  // namespace hone::engine
