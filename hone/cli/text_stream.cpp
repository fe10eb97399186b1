#include "hone/cli/text_stream.h"

namespace hone::cli {

TextStream::TextStream(const text::Tokenizer& tokenizer, const engine::SamplingParams& params)
    : decoder_(tokenizer), matcher_(params.stop, params.include_stop) {}

std::string TextStream::push(const engine::Sequence& sequence) {
  std::string certain;
  const auto output = sequence.output();
  for (; seen_ < static_cast<int64_t>(output.size()) && !stopped(); ++seen_) {
    certain += matcher_.feed(decoder_.push(output[seen_]));
  }
  return certain;
}

std::string TextStream::finish() {
  if (stopped()) return "";
  std::string rest = matcher_.feed(decoder_.finish());
  return stopped() ? rest : rest + matcher_.flush();
}

}  // namespace hone::cli
