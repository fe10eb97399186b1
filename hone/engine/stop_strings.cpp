#include "hone/engine/stop_strings.h"

#include <algorithm>
#include <utility>

#include "hone/base/check.h"

namespace hone::engine {

StopMatcher::StopMatcher(const std::vector<std::string>& stops, bool include_stop)
    : include_stop_(include_stop) {
  for (const std::string& stop : stops) {
    HONE_CHECK(!stop.empty(), "a stop string must not be empty; leave it out");
    Pattern pattern{stop, std::vector<size_t>(stop.size() + 1, 0), 0};
    for (size_t i = 1, length = 0; i < stop.size(); ++i) {
      while (length > 0 && stop[i] != stop[length]) length = pattern.border[length];
      if (stop[i] == stop[length]) ++length;
      pattern.border[i + 1] = length;
    }
    patterns_.push_back(std::move(pattern));
  }
}

void StopMatcher::Pattern::advance(char byte) {
  while (length > 0 && text[length] != byte) length = border[length];
  if (text[length] == byte) ++length;
}

std::string StopMatcher::feed(std::string_view piece) {
  if (matched_) return {};
  std::string text = flush();
  for (const char byte : piece) {
    text += byte;
    for (size_t i = 0; i < patterns_.size(); ++i) {
      Pattern& pattern = patterns_[i];
      pattern.advance(byte);
      const bool is_whole = pattern.length == pattern.text.size();
      if (is_whole && (!matched_ || pattern.length > patterns_[*matched_].length)) matched_ = i;
    }
    if (matched_) {
      if (!include_stop_) text.resize(text.size() - patterns_[*matched_].length);
      return text;
    }
  }
  size_t withheld = 0;
  for (const Pattern& pattern : patterns_) withheld = std::max(withheld, pattern.length);
  withheld_ = text.substr(text.size() - withheld);
  text.resize(text.size() - withheld);
  return text;
}

std::string StopMatcher::flush() {
  return std::exchange(withheld_, {});
}

}  // namespace hone::engine
