#include "hone/text/tokenizer.h"

namespace hone::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens) {}

std::string StreamDecoder::push(int32_t id) {
  const size_t before = ids_.size();
  ids_.push_back(id);
  const std::string text = tokenizer_->decode(ids_, skip_special_tokens_);
  // A character may still be incomplete; it is held back until the next token.
  if (text.ends_with(kReplacement)) return "";
  const std::string shown =
      tokenizer_->decode(std::span(ids_).first(prefix_count_), skip_special_tokens_);
  std::string piece = text.substr(shown.size());
  // The tokens just given out are kept as context for decoders that look at the one before.
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<int64_t>(std::min(prefix_count_, before)));
  prefix_count_ = ids_.size();
  return piece;
}

std::string StreamDecoder::finish() {
  const std::string text = tokenizer_->decode(ids_, skip_special_tokens_);
  const std::string shown =
      tokenizer_->decode(std::span(ids_).first(prefix_count_), skip_special_tokens_);
  ids_.clear();
  prefix_count_ = 0;
  return text.substr(shown.size());
}

}  // namespace hone::text
