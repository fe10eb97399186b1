#include "hone/base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace hone {

TEST(Rng, PhiloxGivesTheKnownAnswersOfRandom123) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, PermutationVisitsEveryElementOnce) {
  for (uint64_t count : {1u, 2u, 3u, 17u, 256u, 1000u}) {
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < count; ++i) seen.insert(permuted({.seed = 7, .step = 1}, i, count));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
}

TEST(Rng, StreamsWithDifferentNamesDiffer) {
  const RandomStream a{.seed = 1, .step = 2, .item = 3};
  EXPECT_EQ(a.bits(5), (RandomStream{1, 2, 3}.bits(5)));
  EXPECT_NE(a.bits(5), (RandomStream{1, 2, 4}.bits(5)));
  EXPECT_NE(a.bits(5), (RandomStream{1, 3, 3}.bits(5)));
  EXPECT_NE(a.bits(5), (RandomStream{2, 2, 3}.bits(5)));
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += a.uniform(i);
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

}  // namespace hone
