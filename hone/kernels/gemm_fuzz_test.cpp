#include <gtest/gtest.h>

#include "hone/kernels/gemm_test_data.h"

namespace hone::kernels {
namespace {

constexpr int kRounds = 60;

/// The shape of round `round`: tails of every kind, and strides beyond the rows in half of them.
ProductData random_product(DType type, int round) {
  const RandomStream random{7, static_cast<uint32_t>(round), type == DType::bf16};
  const auto pick = [&](uint64_t index, int64_t most) {
    return 1 + static_cast<int64_t>(random.below(index, most));
  };
  const int64_t k = round % 3 == 0 ? 32 * pick(0, 20) : pick(0, 700);
  ProductData data({.m = pick(1, round % 4 == 0 ? 200 : 70),
                    .n = pick(2, 130),
                    .k = k,
                    .type = type,
                    .accumulate = random.below(3, 2) == 1},
                   round % 2 == 0 ? 0 : pick(4, 40));
  data.fill_random(round);
  return data;
}

std::string path_and_type(const testing::TestParamInfo<std::tuple<Isa, DType>>& info) {
  const auto [isa, type] = info.param;
  return std::string(isa_name(isa)) + (type == DType::f32 ? "_f32" : "_bf16");
}

class GemmFuzz : public testing::TestWithParam<std::tuple<Isa, DType>> {
 protected:
  const Isa isa_ = std::get<0>(GetParam());
  const DType type_ = std::get<1>(GetParam());
};

}  // namespace

// Rounding errors of a sum in f32 grow with Σ|a||b|; lanes and trees keep the factor far below k.
TEST_P(GemmFuzz, IsAsAccurateAsF32SumsAre) {
  for (int round = 0; round < kRounds; ++round) {
    ProductData data = random_product(type_, round);
    const auto expected = data.reference_result(), scale = data.magnitudes();
    gemm(data.problem, isa_);
    const auto result = data.result();
    for (size_t i = 0; i < result.size(); ++i) {
      ASSERT_NEAR(result[i], expected[i], 1e-6 * scale[i]) << "round " << round << " at " << i;
    }
  }
}

TEST_P(GemmFuzz, EveryRowHasTheBitsOfTheRowAlone) {
  for (int round = 0; round < kRounds; ++round) {
    ProductData data = random_product(type_, round);
    const ProductData before = data;
    gemm(data.problem, isa_);
    const auto batch = data.result();
    for (int64_t m = 0; m < data.problem.m; ++m) {
      ASSERT_EQ(before.rows_alone(m, 1, isa_), rows_of(batch, m, 1, data.problem.n))
          << "round " << round << " row " << m;
    }
  }
}

TEST_P(GemmFuzz, TheNumberOfThreadsDoesNotMatter) {
  for (int round = 0; round < kRounds; ++round) {
    const ProductData before = random_product(type_, round);
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      ProductData data = before;
      gemm(data.problem, isa_, pool);
      results.push_back(data.result());
    }
    ASSERT_EQ(results[0], results[1]) << "round " << round;
    ASSERT_EQ(results[0], results[2]) << "round " << round;
  }
}

// Law 2 names both operands: with A and B exchanged the same element has the same bits.
TEST_P(GemmFuzz, ColumnsAreAsIndependentAsRows) {
  for (int round = 0; round < kRounds; ++round) {
    ProductData data = random_product(type_, round);
    data.problem.accumulate = false;
    gemm(data.problem, isa_);
    const auto result = data.result();
    std::vector<float> column(data.problem.m);
    for (int64_t n = 0; n < data.problem.n; n += 13) {
      Gemm one = data.problem;
      one.n = 1;
      one.b = static_cast<const char*>(one.b) + n * one.b_stride * size_of(type_);
      one.c = column.data();
      one.c_stride = 1;
      gemm(one, isa_);
      for (int64_t m = 0; m < data.problem.m; ++m) {
        ASSERT_EQ(column[m], result[m * data.problem.n + n]) << "round " << round << " m " << m;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, GemmFuzz,
                         testing::Combine(testing::ValuesIn(available_isas()),
                                          testing::Values(DType::f32, DType::bf16)),
                         path_and_type);

template <typename Value>
void check_transpose(Isa isa, uint32_t round) {
  const RandomStream random{11, round, sizeof(Value)};
  const int64_t rows = random.below(0, 200), columns = random.below(1, 200);
  const int64_t in_stride = columns + random.below(2, 9), out_stride = rows + random.below(3, 9);
  std::vector<Value> in(rows * in_stride), out(columns * out_stride, Value(7));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<Value>(random.bits(10 + i));
  transpose({rows, columns, sizeof(Value) == 4 ? DType::f32 : DType::bf16, in.data(), in_stride,
             out.data(), out_stride},
            isa);
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < out_stride; ++r) {
      const Value expected = r < rows ? in[r * in_stride + c] : Value(7);
      ASSERT_EQ(out[c * out_stride + r], expected)
          << rows << 'x' << columns << " at " << r << ' ' << c;
    }
  }
}

TEST(TransposeFuzz, MovesEveryElementAndNothingElse) {
  for (Isa isa : available_isas()) {
    for (uint32_t round = 0; round < 50; ++round) {
      check_transpose<uint32_t>(isa, round);
      check_transpose<uint16_t>(isa, round);
    }
  }
}

}  // namespace hone::kernels
