#include "hone/engine/sequence.h"

#include "hone/base/rng.h"

namespace hone::engine {

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::none:
      return "";
    case FinishReason::stop_token:
    case FinishReason::stop_string:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "abort";
    case FinishReason::failed:
      return "error";
  }
  return "";
}

double Sequence::uniform() const {
  const RandomStream stream{request->params.seed, request->step, request->item};
  return stream.uniform((static_cast<uint64_t>(sample_index) << 32) |
                        static_cast<uint64_t>(token_count()));
}

}  // namespace hone::engine
