#include "hone/kernels/pointwise.h"

#include "hone/kernels/row_test_data.h"

namespace hone::kernels {
namespace {

constexpr int64_t kPositions = 50;

struct RopeCase {
  explicit RopeCase(uint32_t round)
      : random{5, round},
        tokens(random.below(0, 40)),
        heads(random.below(1, 4) + 1),
        head_dim(random.below(2, 80) + 2),
        rotary_dim(random.below(3, head_dim / 2 + 1) * 2),
        gap(random.below(4, 4)),
        x_type(round & 1 ? DType::f32 : DType::bf16),
        y_type(round & 2 ? DType::f32 : DType::bf16),
        x(x_type, random_values(tokens * stride(), round)),
        y(y_type, tokens * stride()) {
    for (int64_t t = 0; t < tokens; ++t) {
      positions.push_back(static_cast<int32_t>(random.below(10 + t, kPositions)));
    }
    const int64_t half = rotary_dim / 2;
    for (int64_t i = 0; i < kPositions * half; ++i) {
      const double angle = i / half * std::pow(10000.0, -1.0 * (i % half) / half);
      cosine.push_back(static_cast<float>(std::cos(angle)));
      sine.push_back(static_cast<float>(std::sin(angle)));
    }
  }

  int64_t stride() const { return heads * head_dim + gap; }

  Rope problem(bool inverse = false) {
    return {tokens,  heads,  head_dim, rotary_dim, positions.data(), cosine.data(), sine.data(),
            inverse, x_type, x.data(), stride(),   y_type,           y.data(),      stride()};
  }

  RandomStream random;
  int64_t tokens, heads, head_dim, rotary_dim, gap;
  DType x_type, y_type;
  Typed x, y;
  std::vector<int32_t> positions;
  std::vector<float> cosine, sine;
};

class RopeFuzz : public testing::TestWithParam<Isa> {};

/// Gaps hold NaN on both sides, which no comparison of numbers accepts.
std::vector<float> without_gaps(const std::vector<float>& values, const RopeCase& shape) {
  std::vector<float> result;
  for (int64_t i = 0; i < shape.tokens * shape.stride(); ++i) {
    if (i % shape.stride() < shape.heads * shape.head_dim) {
      result.push_back(values[i]);
    } else {
      EXPECT_TRUE(std::isnan(values[i])) << "a gap was written";
    }
  }
  return result;
}

TEST_P(RopeFuzz, IsTheTwinInBothDirectionsOnAnyThreads) {
  for (uint32_t round = 0; round < 80; ++round) {
    ThreadPool pool(1 + round % 3);
    for (bool inverse : {false, true}) {
      RopeCase actual(round), expected(round);
      rope(actual.problem(inverse), GetParam(), pool);
      rope_reference(expected.problem(inverse));
      expect_close(without_gaps(actual.y.values(), actual),
                   without_gaps(expected.y.values(), expected), rounding(actual.y_type), 1e-6);
    }
  }
}

TEST_P(RopeFuzz, InverseTurnsBack) {
  RopeCase there(3), back(3);
  ASSERT_EQ(there.x_type, DType::f32);
  ASSERT_EQ(there.y_type, DType::f32);
  ASSERT_GT(there.rotary_dim, 0);
  rope(there.problem(), GetParam());
  Rope problem = back.problem(true);
  problem.x = there.y.data();
  rope(problem, GetParam());
  const auto y = back.y.values(), x = there.x.values();
  for (int64_t i = 0; i < there.tokens * there.stride(); ++i) {
    if (i % there.stride() >= there.heads * there.head_dim) continue;
    ASSERT_NEAR(y[i], x[i], 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, RopeFuzz, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace hone::kernels
