#pragma once

#include <cstdint>
#include <vector>

namespace hone::text {

/// Open-addressing map from a 64-bit key (never all ones) to a small value; insert, then only look
/// up.
template <typename Value>
class FlatMap {
 public:
  void insert(uint64_t key, Value value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    count_ += slot.key == kEmpty;
    slot = {key, value};
  }
  const Value* find(uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(key)];
    return slot.key == kEmpty ? nullptr : &slot.value;
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Slot {
    uint64_t key = kEmpty;
    Value value{};
  };
  size_t place(uint64_t key) const {
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].key != kEmpty && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != kEmpty) slots_[place(slot.key)] = slot;
  }
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace hone::text
