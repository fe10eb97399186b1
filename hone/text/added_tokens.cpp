#include "hone/text/added_tokens.h"

#include <algorithm>

#include "hone/base/check.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

bool overlaps(ByteSpan span, std::span<const ByteSpan> others) {
  return std::any_of(others.begin(), others.end(), [&](ByteSpan other) {
    return span.begin < other.end && other.begin < span.end;
  });
}

bool is_word(char32_t value) {
  return is_letter(value) || is_number(value) || value == '_';
}

/// The start of the code point that ends at `end`.
int64_t previous_start(std::string_view text, int64_t end) {
  do {
    --end;
  } while ((static_cast<uint8_t>(text[end]) & 0xC0) == 0x80);
  return end;
}

bool stands_alone(std::string_view text, ByteSpan span) {
  const auto size = static_cast<int64_t>(text.size());
  if (span.begin > 0 && is_word(code_point_at(text, previous_start(text, span.begin)).value)) {
    return false;
  }
  return span.end == size || !is_word(code_point_at(text, span.end).value);
}

ByteSpan with_white_space(std::string_view text, ByteSpan span, const AddedToken& token,
                          int64_t first) {
  while (token.lstrip && span.begin > first) {
    const int64_t start = previous_start(text, span.begin);
    if (!is_white_space(code_point_at(text, start).value)) break;
    span.begin = start;
  }
  while (token.rstrip && span.end < static_cast<int64_t>(text.size())) {
    const CodePoint point = code_point_at(text, span.end);
    if (!is_white_space(point.value)) break;
    span.end += point.size;
  }
  return span;
}

}  // namespace

AddedTokens::AddedTokens(const Json& list) {
  for (const auto& entry : list) {
    AddedToken token{.content = entry.at("content").get<std::string>(),
                     .id = entry.at("id").get<int32_t>(),
                     .single_word = entry.value("single_word", false),
                     .lstrip = entry.value("lstrip", false),
                     .rstrip = entry.value("rstrip", false),
                     .special = entry.value("special", false)};
    HONE_CHECK(!token.content.empty(), "tokenizer.json: added token {} is empty", token.id);
    by_first_byte_[token.content[0]].push_back(tokens_.size());
    tokens_.push_back(std::move(token));
  }
  for (auto& [byte, indices] : by_first_byte_) {
    std::sort(indices.begin(), indices.end(), [&](size_t a, size_t b) {
      return tokens_[a].content.size() > tokens_[b].content.size();
    });
  }
}

const AddedToken* AddedTokens::match_at(std::string_view text, int64_t offset,
                                        std::span<const ByteSpan> untrusted) const {
  const auto found = by_first_byte_.find(text[offset]);
  if (found == by_first_byte_.end()) return nullptr;
  for (size_t index : found->second) {
    const AddedToken& token = tokens_[index];
    const ByteSpan span{offset, offset + static_cast<int64_t>(token.content.size())};
    if (!text.substr(offset).starts_with(token.content)) continue;
    if (token.single_word && !stands_alone(text, span)) continue;
    if (token.special && overlaps(span, untrusted)) continue;
    return &token;
  }
  return nullptr;
}

std::vector<AddedMatch> AddedTokens::find(std::string_view text,
                                          std::span<const ByteSpan> untrusted) const {
  std::vector<AddedMatch> matches;
  int64_t first = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(text.size());) {
    const AddedToken* token = match_at(text, i, untrusted);
    if (!token) {
      ++i;
      continue;
    }
    const ByteSpan exact{i, i + static_cast<int64_t>(token->content.size())};
    matches.push_back({with_white_space(text, exact, *token, first), token});
    first = i = matches.back().span.end;
  }
  return matches;
}

}  // namespace hone::text
