#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json.h"

namespace hone::data {

/// A data set as an order sees it.
struct DataIdentity {
  int64_t count = 0;        // items, at least 1
  std::string fingerprint;  // names the content, e.g. sha256_file of its file
};

/// A place in the order: the next item is number `index` of epoch `epoch`.
struct DataPosition {
  int64_t epoch = 0;
  int64_t index = 0;
  bool operator==(const DataPosition&) const = default;
};

/// Visits all items once per epoch, each epoch in another order that is a function of (seed, epoch)
/// alone. Its state is a position, so a run resumes at any item without a table.
class DataOrder {
 public:
  DataOrder(DataIdentity data, uint64_t seed, bool shuffle = true);

  /// The item at a position.
  int64_t item_at(DataPosition position) const;
  /// The next item; moves on, into the next epoch at the end of this one.
  int64_t next();
  /// The next `count` items.
  std::vector<int64_t> next_batch(int64_t count);
  DataPosition position() const { return position_; }

  /// Position, seed, shuffle, count and fingerprint, for the checkpoint.
  Json state() const;
  /// Continues from state(). Another data set, seed or order is an input error that says what
  /// differs.
  void restore(const Json& state);

 private:
  DataIdentity data_;
  uint64_t seed_;
  bool shuffle_;
  DataPosition position_;
};

}  // namespace hone::data
