#include "hone/rl/advantage.h"

#include <gtest/gtest.h>

namespace hone::rl {
namespace {

const std::vector<double> kRewards{1, 0, 0, 1, .5, .5};
const std::vector<int64_t> kGroups{4, 2};

void expect_near(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-7) << i;
}

TEST(Advantage, GroupStdIsThatOfVerlAndTrl) {
  expect_near(group_advantages(kRewards, kGroups, AdvantageStd::group, 1e-6),
              {.8660239, -.8660239, -.8660239, .8660239, 0, 0});
  expect_near(group_advantages(kRewards, kGroups, AdvantageStd::group, 1e-4),
              {.86587543, -.86587543, -.86587543, .86587543, 0, 0});
}

TEST(Advantage, WithoutStdIsThatOfDrGrpo) {
  expect_near(group_advantages(kRewards, kGroups, AdvantageStd::none, 0), {.5, -.5, -.5, .5, 0, 0});
}

TEST(Advantage, BatchStdIsThatOfTrl) {
  expect_near(group_advantages(std::vector<double>{1, 0, 0, 1, .5, .5, .25, .75},
                               std::vector<int64_t>{4, 4}, AdvantageStd::batch, 1e-4),
              {1.2469081, -1.2469081, -1.2469081, 1.2469081, 0, 0, -.62345405, .62345405});
}

TEST(Advantage, GroupsWithoutSignalGiveZeroAndAreCounted) {
  const std::vector<double> rewards{.1, .1, .1, 2};
  const std::vector<int64_t> groups{3, 1};
  expect_near(group_advantages(rewards, groups, AdvantageStd::group, 0), {0, 0, 0, 0});
  EXPECT_EQ(zero_std_share(rewards, groups), 1);
  EXPECT_EQ(zero_std_share(kRewards, kGroups), .5);
}

}  // namespace
}  // namespace hone::rl
