#include "hone/engine/blocks.h"

#include <algorithm>

#include "hone/base/check.h"

namespace hone::engine {

BlockPool::BlockPool(int64_t block_count) : blocks_(static_cast<size_t>(block_count) + 1) {
  const auto head = static_cast<int32_t>(block_count);
  blocks_[head].previous = blocks_[head].next = head;
  for (int32_t block = head - 1; block >= 0; --block) put_free(block);
}

bool BlockPool::allocate(int64_t count, std::vector<int32_t>& table) {
  if (count > free_count_) return false;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t block = blocks_.back().next;
    take_from_free(block);
    forget(block);
    blocks_[block].use_count = 1;
    table.push_back(block);
  }
  return true;
}

void BlockPool::share(std::span<const int32_t> blocks, std::vector<int32_t>& table) {
  for (const int32_t block : blocks) {
    if (blocks_[block].use_count++ == 0) take_from_free(block);
    table.push_back(block);
  }
}

void BlockPool::release(std::vector<int32_t>& table) {
  for (; !table.empty(); table.pop_back()) {
    const int32_t block = table.back();
    HONE_ASSERT(blocks_[block].use_count > 0, "block {} released more often than taken", block);
    if (--blocks_[block].use_count == 0) put_free(block);
  }
}

std::vector<int32_t> BlockPool::find_prefix(std::span<const int32_t> tokens,
                                            std::string_view key) const {
  std::vector<int32_t> found;
  uint64_t parent = 0;
  for (int64_t index = 0; (index + 1) * kKvBlockTokens < std::ssize(tokens); ++index) {
    const auto entry = cache_.find(make_key(parent, tokens, index, key));
    if (entry == cache_.end()) break;
    found.push_back(entry->second);
    parent = blocks_[entry->second].node;
  }
  return found;
}

void BlockPool::publish(std::span<const int32_t> table, int64_t index,
                        std::span<const int32_t> tokens, std::string_view key) {
  const int32_t number = table[index];
  Block& block = blocks_[number];
  if (block.node != 0) return;
  const uint64_t parent = index == 0 ? 0 : blocks_[table[index - 1]].node;
  HONE_ASSERT(index == 0 || parent != 0, "block {} published before block {}", index, index - 1);
  const auto [entry, is_new] = cache_.try_emplace(make_key(parent, tokens, index, key), number);
  if (is_new) {
    block.node = ++node_count_;
    block.key = &entry->first;
  } else {
    block.node = blocks_[entry->second].node;
  }
}

void BlockPool::set_epoch(uint64_t epoch) {
  HONE_ASSERT(free_count_ == block_count(), "new weights while {} KV blocks are in use",
              block_count() - free_count_);
  for (int32_t block = 0; block < block_count(); ++block) forget(block);
  epoch_ = epoch;
}

size_t BlockPool::KeyHash::operator()(const Key& key) const {
  uint64_t hash = key.parent * 0x9E3779B97F4A7C15 + key.epoch;
  hash ^= std::hash<std::string>{}(key.extra);
  for (const int32_t token : key.tokens) {
    hash = (hash ^ static_cast<uint32_t>(token)) * 0xD6E8FEB86659FD93;
    hash ^= hash >> 32;
  }
  return hash;
}

BlockPool::Key BlockPool::make_key(uint64_t parent, std::span<const int32_t> tokens, int64_t index,
                                   std::string_view extra) const {
  Key key{parent, epoch_, index == 0 ? std::string(extra) : std::string(), {}};
  std::ranges::copy(tokens.subspan(index * kKvBlockTokens, kKvBlockTokens), key.tokens.begin());
  return key;
}

void BlockPool::forget(int32_t block) {
  if (blocks_[block].key != nullptr) cache_.erase(cache_.find(*blocks_[block].key));
  blocks_[block].key = nullptr;
  blocks_[block].node = 0;
}

void BlockPool::take_from_free(int32_t block) {
  const auto [previous, next] = std::pair(blocks_[block].previous, blocks_[block].next);
  blocks_[previous].next = next;
  blocks_[next].previous = previous;
  --free_count_;
}

void BlockPool::put_free(int32_t block) {
  const auto head = static_cast<int32_t>(block_count());
  const bool findable = blocks_[block].key != nullptr;
  const int32_t previous = findable ? blocks_[head].previous : head;
  const int32_t next = blocks_[previous].next;
  blocks_[block].previous = previous;
  blocks_[block].next = next;
  blocks_[previous].next = blocks_[next].previous = block;
  ++free_count_;
}

}  // namespace hone::engine
