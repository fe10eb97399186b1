#include "hone/data/order.h"

#include "hone/base/check.h"
#include "hone/base/rng.h"

namespace hone::data {
namespace {

/// Sets the streams of data orders apart from other users of the same seed.
constexpr uint32_t kOrderItem = 0x0DA7A;

}  // namespace

DataOrder::DataOrder(DataIdentity data, uint64_t seed, bool shuffle)
    : data_(std::move(data)), seed_(seed), shuffle_(shuffle) {
  HONE_CHECK(data_.count >= 1, "a data set must hold at least one item, came {}", data_.count);
}

int64_t DataOrder::item_at(DataPosition position) const {
  if (!shuffle_) return position.index;
  const RandomStream stream{seed_, static_cast<uint32_t>(position.epoch), kOrderItem};
  return static_cast<int64_t>(permuted(stream, position.index, data_.count));
}

int64_t DataOrder::next() {
  const int64_t item = item_at(position_);
  if (++position_.index == data_.count) position_ = {position_.epoch + 1, 0};
  return item;
}

std::vector<int64_t> DataOrder::next_batch(int64_t count) {
  std::vector<int64_t> items(count);
  for (int64_t& item : items) item = next();
  return items;
}

Json DataOrder::state() const {
  return Json{
      {"epoch", position_.epoch}, {"index", position_.index}, {"seed", seed_},
      {"shuffle", shuffle_},      {"count", data_.count},     {"fingerprint", data_.fingerprint}};
}

void DataOrder::restore(const Json& state) {
  const Json own = this->state();
  for (const char* key : {"fingerprint", "count", "seed", "shuffle"}) {
    HONE_CHECK(state.is_object() && state.value(key, Json()) == own[key],
               "the data of this run differ from those of the checkpoint: {} was {} and is {}; "
               "resume with the same data and seed, or start a new run",
               key, state.is_object() ? print_json(state.value(key, Json())) : "missing",
               print_json(own[key]));
  }
  position_ = {state.at("epoch").get<int64_t>(), state.at("index").get<int64_t>()};
  HONE_CHECK(position_.epoch >= 0 && 0 <= position_.index && position_.index < data_.count,
             "the checkpoint's position in the data is damaged: epoch {}, index {} of {}",
             position_.epoch, position_.index, data_.count);
}

}  // namespace hone::data
