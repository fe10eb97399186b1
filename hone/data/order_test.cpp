#include "hone/data/order.h"

#include <gtest/gtest.h>

#include <set>

#include "hone/base/check.h"

namespace hone::data {

TEST(DataOrder, EveryEpochVisitsAllItemsInAnotherOrder) {
  DataOrder order({10, "f"}, 3);
  const auto first = order.next_batch(10), second = order.next_batch(10);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 10u);
  EXPECT_EQ(std::set(second.begin(), second.end()).size(), 10u);
  EXPECT_NE(first, second);
  EXPECT_EQ(order.position(), (DataPosition{2, 0}));
  EXPECT_EQ(DataOrder({10, "f"}, 3).next_batch(10), first);
  EXPECT_NE(DataOrder({10, "f"}, 4).next_batch(10), first);
  EXPECT_EQ(DataOrder({3, "f"}, 3, false).next_batch(4), (std::vector<int64_t>{0, 1, 2, 0}));
}

TEST(DataOrder, ResumesAtEveryItem) {
  DataOrder whole({7, "f"}, 1);
  const auto expected = whole.next_batch(20);
  for (int64_t stop = 0; stop <= 20; ++stop) {
    DataOrder before({7, "f"}, 1), after({7, "f"}, 1);
    auto items = before.next_batch(stop);
    after.restore(parse_json(print_json(before.state()), "state"));
    for (int64_t item : after.next_batch(20 - stop)) items.push_back(item);
    EXPECT_EQ(items, expected) << stop;
  }
}

TEST(DataOrder, RefusesOtherDataAndDamagedStates) {
  const Json state = DataOrder({7, "f"}, 1).state();
  EXPECT_THROW(DataOrder({7, "g"}, 1).restore(state), Error);
  EXPECT_THROW(DataOrder({8, "f"}, 1).restore(state), Error);
  EXPECT_THROW(DataOrder({7, "f"}, 2).restore(state), Error);
  EXPECT_THROW(DataOrder({7, "f"}, 1, false).restore(state), Error);
  EXPECT_THROW(DataOrder({7, "f"}, 1).restore(nullptr), Error);
  Json damaged = state;
  damaged["index"] = 7;
  EXPECT_THROW(DataOrder({7, "f"}, 1).restore(damaged), Error);
  EXPECT_THROW(DataOrder({0, "f"}, 1), Error);
  try {
    DataOrder({7, "g"}, 1).restore(state);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fingerprint was \"f\" and is \"g\""),
              std::string::npos)
        << error.what();
  }
}

}  // namespace hone::data
