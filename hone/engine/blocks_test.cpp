#include "hone/engine/blocks.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hone::engine {
namespace {

std::vector<int32_t> tokens(int64_t count, int32_t first = 0) {
  std::vector<int32_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// Allocates and publishes the full blocks of `ids`.
std::vector<int32_t> compute(BlockPool& pool, const std::vector<int32_t>& ids,
                             std::string_view key = "") {
  std::vector<int32_t> table;
  EXPECT_TRUE(pool.allocate(blocks_for(std::ssize(ids)), table));
  for (int64_t i = 0; i < std::ssize(ids) / kKvBlockTokens; ++i) pool.publish(table, i, ids, key);
  return table;
}

}  // namespace

TEST(Blocks, AllocationFailsWithoutChange) {
  BlockPool pool(3);
  std::vector<int32_t> table;
  EXPECT_FALSE(pool.allocate(4, table));
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(pool.allocate(3, table));
  EXPECT_FALSE(pool.allocate(1, table));
  pool.release(table);
  EXPECT_EQ(pool.free_count(), 3);
}

TEST(Blocks, APrefixIsFoundUpToTheFirstDifference) {
  BlockPool pool(8);
  auto table = compute(pool, tokens(100));
  EXPECT_EQ(pool.find_prefix(tokens(100), "").size(), 3u);
  auto other = tokens(100);
  other[40] = 7;
  EXPECT_EQ(pool.find_prefix(other, ""), (std::vector<int32_t>{table[0]}));
  other[0] = 7;
  EXPECT_TRUE(pool.find_prefix(other, "").empty());
  pool.release(table);
  EXPECT_EQ(pool.find_prefix(tokens(100), "").size(), 3u);
}

TEST(Blocks, AFullHitLeavesTheLastTokenToCompute) {
  BlockPool pool(8);
  compute(pool, tokens(96));
  EXPECT_EQ(pool.find_prefix(tokens(96), "").size(), 2u);
  EXPECT_EQ(pool.find_prefix(tokens(97), "").size(), 3u);
  EXPECT_EQ(pool.find_prefix(tokens(32), "").size(), 0u);
}

TEST(Blocks, EqualTokensAfterDifferentPrefixesAreDifferent) {
  BlockPool pool(8);
  auto first = tokens(64);
  compute(pool, first);
  auto second = tokens(64, 1000);
  std::copy(first.begin() + 32, first.end(), second.begin() + 32);
  compute(pool, second);
  second.push_back(0);
  first.push_back(0);
  EXPECT_NE(pool.find_prefix(first, "")[1], pool.find_prefix(second, "")[1]);
}

TEST(Blocks, KeysAndEpochsSeparate) {
  BlockPool pool(8);
  auto table = compute(pool, tokens(64), "adapter");
  EXPECT_TRUE(pool.find_prefix(tokens(65), "").empty());
  EXPECT_EQ(pool.find_prefix(tokens(65), "adapter").size(), 2u);
  pool.release(table);
  pool.set_epoch(1);
  EXPECT_TRUE(pool.find_prefix(tokens(65), "adapter").empty());
}

TEST(Blocks, NewWeightsWhileBlocksAreInUseAreABug) {
  BlockPool pool(8);
  compute(pool, tokens(64));
  EXPECT_DEATH(pool.set_epoch(1), "2 KV blocks are in use");
}

TEST(Blocks, TheTailOfTheLeastRecentlyUsedPrefixIsReusedFirst) {
  BlockPool pool(5);
  auto older = compute(pool, tokens(64));
  auto newer = compute(pool, tokens(64, 1000));
  pool.release(older);
  pool.release(newer);
  std::vector<int32_t> table;
  ASSERT_TRUE(pool.allocate(1, table));  // the block that never held anything
  EXPECT_EQ(pool.find_prefix(tokens(65), "").size(), 2u);
  ASSERT_TRUE(pool.allocate(1, table));
  EXPECT_EQ(pool.find_prefix(tokens(65), "").size(), 1u);
  ASSERT_TRUE(pool.allocate(1, table));
  EXPECT_EQ(pool.find_prefix(tokens(65), "").size(), 0u);
  EXPECT_EQ(pool.find_prefix(tokens(65, 1000), "").size(), 2u);
}

TEST(Blocks, ASharedBlockIsFreeAfterItsLastRelease) {
  BlockPool pool(4);
  auto first = compute(pool, tokens(65));
  std::vector<int32_t> second;
  pool.share(pool.find_prefix(tokens(65), ""), second);
  EXPECT_EQ(pool.use_count(second[0]), 2);
  pool.release(first);
  EXPECT_EQ(pool.free_count(), 2);
  pool.release(second);
  EXPECT_EQ(pool.free_count(), 4);
  pool.share(pool.find_prefix(tokens(65), ""), second);
  EXPECT_EQ(pool.free_count(), 2);
}

TEST(Blocks, ADuplicateContinuesTheChainOfTheOneThatIsFound) {
  BlockPool pool(8);
  auto first = compute(pool, tokens(32));
  auto second = compute(pool, tokens(64));
  EXPECT_EQ(pool.find_prefix(tokens(65), ""), (std::vector<int32_t>{first[0], second[1]}));
}

}  // namespace hone::engine
