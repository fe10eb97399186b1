#include "hone/train/packing.h"

#include <gtest/gtest.h>

namespace hone::train {
namespace {

using Ids = std::vector<int32_t>;

TEST(Packing, ExampleOfTheHeader) {
  Packer packer;
  const int64_t prompt = packer.add_trunk(Ids{7, 8}, -1);
  packer.add_leaf(Ids{1, 2, 3}, prompt, {}, 0);
  packer.add_leaf(Ids{4}, prompt, {}, 1);
  const PackedBatch batch = packer.take();
  EXPECT_EQ(batch.tokens, (Ids{7, 8, 1, 2}));
  EXPECT_EQ(batch.positions, (Ids{0, 1, 2, 3}));
  EXPECT_EQ(batch.rows, (Ids{1, 2, 3, 1}));
  EXPECT_EQ(batch.targets, (Ids{1, 2, 3, 4}));
  ASSERT_EQ(batch.segments.size(), 2u);
  EXPECT_EQ(batch.segments[1].parent, 0);
  EXPECT_EQ(batch.sources[3].sequence, 1);
  EXPECT_EQ(packer.token_count(), 0);
}

TEST(Packing, OnlyMarkedTokensGetRows) {
  Packer packer;
  packer.add_leaf(Ids{5, 6, 7, 8}, -1, std::vector<uint8_t>{0, 0, 1, 1}, 9);
  const PackedBatch batch = packer.take();
  EXPECT_EQ(batch.tokens, (Ids{5, 6, 7}));
  EXPECT_EQ(batch.rows, (Ids{1, 2}));
  EXPECT_EQ(batch.targets, (Ids{7, 8}));
}

TEST(PackingDeathTest, TheFirstTokenOfARootCannotBeScored) {
  Packer packer;
  EXPECT_DEATH(packer.add_leaf(Ids{5, 6}, -1, {}, 0), "nothing predicts its first token");
}

}  // namespace
}  // namespace hone::train
