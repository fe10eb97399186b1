#include "hone/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {

TEST(Nearest, DistanceCountsChangesOfOneByte) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("abc", "bc"), 1);
  EXPECT_EQ(edit_distance("bc", "abc"), 1);
  EXPECT_EQ(edit_distance("abc", "ac"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("same", "same"), 0);
}

TEST(Nearest, AnEqualLastPartGoesBeforeTheDistance) {
  const std::vector<std::string> keys = {"rollout.n", "optimizer.beta", "optimizer.lr",
                                         "loss.kind"};
  EXPECT_EQ(nearest("optimizer.ls", keys), "optimizer.lr");
  EXPECT_EQ(nearest("lr", keys), "optimizer.lr");
  EXPECT_EQ(nearest("optimizer.n", keys), "rollout.n");
  EXPECT_EQ(nearest("x", std::vector<std::string>()), "");
}

}  // namespace hone
