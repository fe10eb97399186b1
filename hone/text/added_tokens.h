#pragma once

#include <string>
#include <vector>

#include "hone/text/flat_map.h"
#include "hone/text/models.h"
#include "hone/text/normalizers.h"

namespace hone::text {

/// An entry of `added_tokens`.
struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool single_word = false, lstrip = false, rstrip = false, normalized = true, special = false;
};

/// The `added_tokens` list of tokenizer.json.
std::vector<AddedToken> parse_added_tokens(const Fields& json);

/// A stretch of a text; `token` is null where no added token stands.
struct AddedPart {
  size_t begin = 0, end = 0;
  const AddedToken* token = nullptr;
};

/// Finds a set of added tokens in a text.
class AddedMatcher {
 public:
  /// `content` of each token is what is searched for; the tokens must outlive the matcher.
  void add(const AddedToken& token, const std::string& content);
  bool empty() const { return tokens_.empty(); }
  /// Cuts `text` at the leftmost-longest matches for which allowed(token, begin, end) holds.
  template <typename Allowed>
  std::vector<AddedPart> split(std::string_view text, Allowed allowed) const {
    std::vector<AddedPart> parts;
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      const AddedToken* token =
          starts_[static_cast<uint8_t>(text[at])] ? longest(text, at, end) : nullptr;
      if (!token || !allowed(*token, at, end)) {
        ++at;
        continue;
      }
      const size_t next = end;
      size_t begin = at;
      if (widen(*token, text, done, begin, end)) {
        if (begin > done) parts.push_back({done, begin, nullptr});
        parts.push_back({begin, end, token});
        done = end;
        at = std::max(next, done);
      } else {
        at = next;
      }
    }
    if (done < text.size()) parts.push_back({done, text.size(), nullptr});
    return parts;
  }

 private:
  const AddedToken* longest(std::string_view text, size_t at, size_t& end) const;
  static bool widen(const AddedToken& token, std::string_view text, size_t done, size_t& begin,
                    size_t& end);
  std::vector<const AddedToken*> tokens_{};
  std::vector<bool> starts_ = std::vector<bool>(256);
  FlatMap<int32_t> edges_;
  std::vector<const AddedToken*> nodes_{nullptr};
};

}  // namespace hone::text
