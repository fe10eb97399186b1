#pragma once

#include "hone/engine/sequence.h"
#include "hone/engine/stop_strings.h"
#include "hone/text/tokenizer.h"

namespace hone::cli {

/// The text of one sequence while its tokens come: decoded at safe points, cut at a stop string.
class TextStream {
 public:
  TextStream(const text::Tokenizer& tokenizer, const engine::SamplingParams& params);

  /// Takes the sequence's new tokens; gives the text that is now certain. `stopped()` tells whether
  /// a stop string was met.
  std::string push(const engine::Sequence& sequence);
  /// The rest, once the sequence has ended.
  std::string finish();
  bool stopped() const { return matcher_.matched().has_value(); }

 private:
  text::StreamDecoder decoder_;
  engine::StopMatcher matcher_;
  int64_t seen_ = 0;
};

}  // namespace hone::cli
