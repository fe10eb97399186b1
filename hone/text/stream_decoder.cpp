#include <utility>

#include "hone/text/tokenizer_state.h"
#include "hone/text/unicode.h"

namespace hone::text {

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens) {}

std::string StreamDecoder::push(int32_t id) {
  const std::string* token = tokenizer_->state_->token(id);
  if (!token || (skip_special_tokens_ && tokenizer_->is_special(id))) return {};
  const Holdback holdback = tokenizer_->state_->decoder.holdback;
  if (holdback == Holdback::utf8) {
    const std::string bytes = held_ + byte_level_bytes(*token);
    return utf8_lossy(bytes, &held_);
  }
  ids_.push_back(id);
  const bool hold = holdback == Holdback::everything ||
                    (holdback == Holdback::byte_tokens && byte_of_token(*token) >= 0);
  if (hold) return {};
  const std::span<const int32_t> ids(ids_);
  const size_t given = tokenizer_->decode(ids.first(prefix_count_), false).size();
  std::string piece = tokenizer_->decode(ids, false).substr(given);
  // Decoders treat the first token apart, so the ids kept as context must give some text.
  if (!tokenizer_->decode(ids.subspan(prefix_count_), false).empty())
    ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(prefix_count_));
  prefix_count_ = ids_.size();
  return piece;
}

std::string StreamDecoder::finish() {
  if (!held_.empty()) return utf8_lossy(std::exchange(held_, {}));
  const std::span<const int32_t> ids(ids_);
  const size_t given = tokenizer_->decode(ids.first(prefix_count_), false).size();
  std::string piece = tokenizer_->decode(ids, false).substr(given);
  prefix_count_ = ids_.size();
  return piece;
}

}  // namespace hone::text
