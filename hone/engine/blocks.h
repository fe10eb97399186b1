#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/kernels/attention.h"

namespace hone::engine {

using kernels::kKvBlockTokens;

/// Blocks that hold `token_count` tokens.
constexpr int64_t blocks_for(int64_t token_count) {
  return (token_count + kKvBlockTokens - 1) / kKvBlockTokens;
}

/// The ledger of KV blocks: reference counts, free blocks in order of last use, and the prefix
/// cache. It knows numbers only; the runner owns the memory. A cached block stays findable after
/// its last release, until it is needed for something else.
class BlockPool {
 public:
  explicit BlockPool(int64_t block_count);

  int64_t block_count() const { return static_cast<int64_t>(blocks_.size()) - 1; }
  int64_t free_count() const { return free_count_; }
  int64_t use_count(int32_t block) const { return blocks_[block].use_count; }

  /// Appends `count` blocks with one use each to `table`; false, and no change, if fewer are free.
  [[nodiscard]] bool allocate(int64_t count, std::vector<int32_t>& table);

  /// Appends `blocks`, each with one more use, to `table`.
  void share(std::span<const int32_t> blocks, std::vector<int32_t>& table);

  /// Takes one use from every block of `table` and empties it. The tail is freed first, so that the
  /// head of a prefix, which more sequences share, lives longest.
  void release(std::vector<int32_t>& table);

  /// The cached blocks of the longest prefix of `tokens` that leaves at least one token to compute.
  /// Tokens, epoch and key are compared in full. They stay as they are until shared.
  std::vector<int32_t> find_prefix(std::span<const int32_t> tokens, std::string_view key) const;

  /// Makes block `index` of `table` findable, once all its tokens are computed; `tokens` are those
  /// of the sequence. Blocks are published in order. An equal block already there stays the one.
  void publish(std::span<const int32_t> table, int64_t index, std::span<const int32_t> tokens,
               std::string_view key);

  /// Declares new weights: forgets every cached block. No block may be in use.
  void set_epoch(uint64_t epoch);
  uint64_t epoch() const { return epoch_; }

 private:
  /// What a cached block holds: its tokens after those of the node `parent`. Nodes are numbered
  /// without reuse, so equal keys mean equal prefixes and no hash has to be trusted.
  struct Key {
    uint64_t parent = 0;  // 0: the first block of a sequence
    uint64_t epoch = 0;
    std::string extra;  // of first blocks; the others inherit it through `parent`
    std::array<int32_t, kKvBlockTokens> tokens;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Block {
    int64_t use_count = 0;
    uint64_t node = 0;               // what it holds; 0: nothing that was published
    const Key* key = nullptr;        // its entry in `cache_`; nullptr: it is not the findable one
    int32_t previous = 0, next = 0;  // in the ring of free blocks
  };

  Key make_key(uint64_t parent, std::span<const int32_t> tokens, int64_t index,
               std::string_view extra) const;
  void forget(int32_t block);
  void take_from_free(int32_t block);
  void put_free(int32_t block);

  std::vector<Block> blocks_;  // the last one is the head of the ring
  int64_t free_count_ = 0;
  uint64_t epoch_ = 0;
  uint64_t node_count_ = 0;
  std::unordered_map<Key, int32_t, KeyHash> cache_;
};

}  // namespace hone::engine
