#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "hone/base/json.h"

namespace hone::reward {

/// One completion to be judged and what is known about its prompt.
struct Sample {
  std::string_view completion;  // the generated text without the end token
  std::string_view answer;      // the ground truth of the prompt; a number as text
  int64_t token_count = 0;      // tokens of the completion
  Json metadata;                // what the prompt's task stores for its verifier; an object or null
};

/// What became of one reward for one completion.
enum class Status {
  ok,        // judged
  unparsed,  // the completion holds nothing to judge; the value is 0
  skipped    // the prompt's answer or metadata cannot be judged by this reward; the value is 0
};

/// "ok", "unparsed", "skipped".
const char* status_name(Status status);

/// One reward of one completion, before its weight; 0 is worst and 1 is best.
struct Score {
  double value = 0;
  Status status = Status::ok;
};

/// A pure function of the sample, callable from several threads.
using Scorer = std::function<Score(const Sample&)>;

/// The options that every reward has.
struct RewardCommon {
  std::string name;
  double weight = 1;

  static void fields(auto&& self, auto&& visit) {
    visit("name", self.name, "Name in the log; empty for the kind.");
    visit("weight", self.weight, "Factor of this reward in the sum.");
  }
};

/// The text without white space (space, tab, newline …) at both ends.
std::string_view stripped(std::string_view text);

}  // namespace hone::reward
