#include "hone/kernels/gemm.h"

#include <gtest/gtest.h>

#include "hone/base/rng.h"
#include "hone/kernels/gemm_test_data.h"

namespace hone::kernels {

class GemmTest : public testing::TestWithParam<Isa> {};

TEST_P(GemmTest, SmallProductsOfIntegersAreExact) {
  for (DType type : {DType::f32, DType::bf16}) {
    for (int64_t k : {0, 1, 5, 40}) {
      ProductData data({.m = 3, .n = 5, .k = k, .type = type});
      data.fill([](uint64_t draw) { return static_cast<float>(draw % 9) - 4; });
      gemm(data.problem, GetParam());
      EXPECT_EQ(data.result(), data.reference_result());
    }
  }
}

TEST_P(GemmTest, EmptyProductsTouchNothing) {
  ProductData data({.m = 2, .n = 3, .k = 4});
  data.fill([](uint64_t) { return 1.f; });
  const auto before = data.result();
  Gemm problem = data.problem;
  problem.m = 0;
  gemm(problem, GetParam());
  problem = data.problem;
  problem.n = 0;
  gemm(problem, GetParam());
  EXPECT_EQ(data.result(), before);
}

TEST_P(GemmTest, EmptySumsAreZeroOrLeaveC) {
  ProductData data({.m = 2, .n = 3, .k = 0, .accumulate = true});
  data.fill([](uint64_t draw) { return static_cast<float>(draw % 7); });
  const auto before = data.result();
  gemm(data.problem, GetParam());
  EXPECT_EQ(data.result(), before);
  data.problem.accumulate = false;
  gemm(data.problem, GetParam());
  EXPECT_EQ(data.result(), std::vector<float>(6, 0.f));
}

// Nothing that is not finite may leak from one row or column into another.
TEST_P(GemmTest, NanAndInfinityStayInTheirRowAndColumn) {
  for (DType type : {DType::f32, DType::bf16}) {
    ProductData data({.m = 70, .n = 70, .k = 37, .type = type});
    data.fill([](uint64_t) { return 1.f; });
    data.set_a(33, 36, NAN);
    data.set_b(65, 36, INFINITY);
    gemm(data.problem, GetParam());
    const auto result = data.result();
    for (int64_t m = 0; m < 70; ++m) {
      for (int64_t n = 0; n < 70; ++n) {
        const float value = result[m * 70 + n];
        if (m == 33) {
          EXPECT_TRUE(std::isnan(value)) << m << ' ' << n;
        } else {
          EXPECT_EQ(value, n == 65 ? INFINITY : 37.f) << m << ' ' << n;
        }
      }
    }
  }
}

// More of A than the scratch holds at once, and more columns than one block has.
TEST_P(GemmTest, PiecesOfALargeProductFitTogether) {
  for (const Gemm& shape : {Gemm{.m = 300, .n = 3, .k = 20000, .type = DType::bf16},
                            Gemm{.m = 2117, .n = 16, .k = 1984, .type = DType::bf16},
                            Gemm{.m = 300, .n = 611, .k = 70, .type = DType::bf16},
                            Gemm{.m = 5, .n = 611, .k = 70, .type = DType::bf16}}) {
    ProductData data(shape);
    data.fill([](uint64_t draw) { return static_cast<float>(draw % 9) - 4; });
    gemm(data.problem, GetParam());
    EXPECT_EQ(data.result(), data.reference_result());
  }
}

// Law 2 at the sizes of a model: decode, prefill and training forward of one row.
TEST_P(GemmTest, ARowOfALargeBatchHasTheBitsOfTheRowAlone) {
  for (const Gemm& shape : {Gemm{.m = 700, .n = 96, .k = 576}, Gemm{.m = 99, .n = 40, .k = 4500}}) {
    for (DType type : {DType::f32, DType::bf16}) {
      Gemm typed = shape;
      typed.type = type;
      ProductData data(typed);
      data.fill_random(1);
      gemm(data.problem, GetParam());
      const auto batch = data.result();
      for (int64_t rows : {1, 2, 16, 17, 32, 33, 64, 65}) {
        for (int64_t first : {int64_t{0}, shape.m - rows}) {
          EXPECT_EQ(data.rows_alone(first, rows, GetParam()), rows_of(batch, first, rows, shape.n));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, GemmTest, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

TEST(Convert, NarrowsLikeTheScalarRoundingForAllUpperHalves) {
  const std::vector<uint32_t> lower = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
  std::vector<float> values;
  for (uint32_t upper = 0; upper < 65536; ++upper) {
    for (uint32_t bits : lower) values.push_back(std::bit_cast<float>(upper << 16 | bits));
  }
  const RandomStream random{2};
  for (int i = 0; i < 100003; ++i) values.push_back(std::bit_cast<float>(random.bits(i)));
  std::vector<bf16> narrow(values.size());
  convert(values.data(), narrow.data(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(narrow[i].bits, to_bf16(values[i]).bits) << std::bit_cast<uint32_t>(values[i]);
  }
}

TEST(Convert, WidensExactly) {
  std::vector<bf16> values;
  for (uint32_t bits = 0; bits < 65536; ++bits) values.push_back({static_cast<uint16_t>(bits)});
  values.push_back({0x3f80});
  std::vector<float> wide(values.size());
  convert(values.data(), wide.data(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]), uint32_t{values[i].bits} << 16);
  }
}

}  // namespace hone::kernels
