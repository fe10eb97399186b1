#pragma once

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "hone/text/models.h"

namespace hone::text {

/// Tokens of recently seen pieces: a direct-mapped table of the calling thread, keyed by the
/// tokenizer's number and the piece, so it is bounded and needs no lock.
class WordCache {
 public:
  static constexpr size_t kMaxPiece = 64;
  struct Entry {
    uint64_t owner = 0;
    std::string piece;
    std::vector<Token> tokens;
  };
  static WordCache& of_thread() {
    thread_local WordCache cache;
    return cache;
  }
  /// The entry where `piece` of tokenizer `owner` is or belongs.
  Entry& entry(uint64_t owner, std::string_view piece) {
    return entries_[hash(owner, piece) & (kEntries - 1)];
  }

 private:
  static constexpr size_t kEntries = 1 << 15;
  static uint64_t hash(uint64_t seed, std::string_view text) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;
    uint64_t state = (seed + text.size()) * kOdd;
    for (size_t at = 0; at < text.size(); at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, std::min<size_t>(8, text.size() - at));
      state = (state ^ word) * kOdd;
      state ^= state >> 29;
    }
    return state ^ state >> 32;
  }
  std::vector<Entry> entries_ = std::vector<Entry>(kEntries);
};

}  // namespace hone::text
