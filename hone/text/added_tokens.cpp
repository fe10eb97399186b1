#include "hone/text/added_tokens.h"

#include "hone/text/unicode.h"

namespace hone::text {

std::vector<AddedToken> parse_added_tokens(const Fields& json) {
  std::vector<AddedToken> tokens;
  if (json.is_null()) return tokens;
  HONE_CHECK(json.is_array(), "tokenizer: field 'added_tokens' must be a list");
  for (const Fields& entry : json) {
    AddedToken token;
    token.id = field<int32_t>(entry, "id");
    token.content = field<std::string>(entry, "content");
    token.single_word = field_or(entry, "single_word", false);
    token.lstrip = field_or(entry, "lstrip", false);
    token.rstrip = field_or(entry, "rstrip", false);
    token.special = field_or(entry, "special", false);
    token.normalized = field_or(entry, "normalized", !token.special);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void AddedMatcher::add(const AddedToken& token, const std::string& content) {
  if (content.empty()) return;
  tokens_.push_back(&token);
  starts_[static_cast<uint8_t>(content[0])] = true;
  int32_t node = 0;
  for (const char c : content) {
    const uint64_t edge = uint64_t(node) << 8 | static_cast<uint8_t>(c);
    if (const int32_t* next = edges_.find(edge)) {
      node = *next;
      continue;
    }
    node = static_cast<int32_t>(nodes_.size());
    edges_.insert(edge, node);
    nodes_.push_back(nullptr);
  }
  if (!nodes_[node]) nodes_[node] = &token;
}

const AddedToken* AddedMatcher::longest(std::string_view text, size_t at, size_t& end) const {
  const AddedToken* best = nullptr;
  int32_t node = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const int32_t* next = edges_.find(uint64_t(node) << 8 | static_cast<uint8_t>(text[i]));
    if (!next) break;
    node = *next;
    if (!nodes_[node]) continue;
    best = nodes_[node];
    end = i + 1;
  }
  return best;
}

bool AddedMatcher::widen(const AddedToken& token, std::string_view text, size_t done, size_t& begin,
                         size_t& end) {
  auto is = [](Decoded c, uint16_t mask) { return c.size && (char_class(c.code) & mask); };
  if (token.single_word &&
      ((begin > 0 && is(decode_before(text, begin), kWord)) || is(decode_at(text, end), kWord)))
    return false;
  if (token.lstrip)
    while (begin > 0 && is(decode_before(text, begin), kSpace))
      begin -= decode_before(text, begin).size;
  begin = std::max(begin, done);
  if (token.rstrip)
    while (is(decode_at(text, end), kSpace)) end += decode_at(text, end).size;
  return true;
}

}  // namespace hone::text
