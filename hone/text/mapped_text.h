#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/text/tokenizer.h"

namespace hone::text {

/// A part of the input text as normalizers and pre-tokenizers changed it; every byte knows the
/// bytes of the input that it came from.
struct MappedText {
  std::string text;
  int64_t base = 0;           // where the part begins in the input
  std::vector<ByteSpan> map;  // per byte of `text`; empty: unchanged, byte i is input byte base + i
  /// Input bytes of text[begin, end).
  ByteSpan source(size_t begin, size_t end) const {
    if (map.empty()) return {base + int64_t(begin), base + int64_t(end)};
    if (begin < end) return {map[begin].begin, map[end - 1].end};
    const int64_t at = begin < map.size() ? map[begin].begin : map.back().end;
    return {at, at};
  }
};

/// Writes the successor of a MappedText, then replaces it.
class Rewriter {
 public:
  explicit Rewriter(MappedText& target) : target_(target) { text_.reserve(target.text.size()); }
  /// Appends `bytes`, which stand for text[begin, end) of the target.
  void put(std::string_view bytes, size_t begin, size_t end) {
    text_.append(bytes);
    map_.resize(text_.size(), target_.source(begin, end));
  }
  /// Appends text[begin, end) unchanged.
  void keep(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) map_.push_back(target_.source(i, i + 1));
    text_.append(target_.text, begin, end - begin);
  }
  size_t size() const { return text_.size(); }
  void finish() {
    target_.text = std::move(text_);
    target_.map = std::move(map_);
  }

 private:
  MappedText& target_;
  std::string text_;
  std::vector<ByteSpan> map_;
};

}  // namespace hone::text
