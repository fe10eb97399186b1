#include "hone/kernels/pointwise.h"

#include "hone/kernels/row_test_data.h"

namespace hone::kernels {
namespace {

/// One random problem with everything that it points at.
struct NormCase {
  explicit NormCase(uint32_t round)
      : random{3, round},
        rows(random.below(0, 300)),
        columns(random.below(1, 100) + 1),
        stride(columns + random.below(2, 5)),
        type(round % 2 ? DType::f32 : DType::bf16),
        x(random_values(rows * stride, round, 4)),
        weight(random_values(columns, round + 1000)),
        grad_y(type, random_values(rows * columns, round + 2000)),
        y(type, rows * columns),
        inverse_rms(rows),
        grad_x(rows * columns, NAN),
        grad_weight(random_values(columns, round + 3000)) {}

  RmsNorm forward() {
    return {.rows = rows,
            .columns = columns,
            .x = x.data(),
            .x_stride = stride,
            .weight = weight.data(),
            .weight_offset = random.below(3, 2) ? 1.0f : 0.0f,
            .eps = 1e-5f,
            .type = type,
            .y = y.data(),
            .inverse_rms = inverse_rms.data()};
  }
  RmsNormBackward backward() {
    return {forward(), grad_y.data(), grad_x.data(), grad_weight.data()};
  }

  RandomStream random;
  int64_t rows, columns, stride;
  DType type;
  std::vector<float> x, weight;
  Typed grad_y, y;
  std::vector<float> inverse_rms, grad_x, grad_weight;
};

class RmsNormFuzz : public testing::TestWithParam<Isa> {};

TEST_P(RmsNormFuzz, ForwardIsTheTwin) {
  for (uint32_t round = 0; round < 60; ++round) {
    NormCase actual(round), expected(round);
    rms_norm(actual.forward(), GetParam());
    rms_norm_reference(expected.forward());
    expect_close(actual.y.values(), expected.y.values(), rounding(actual.type), 1e-6);
    expect_close(actual.inverse_rms, expected.inverse_rms, 1e-6, 0);
  }
}

TEST_P(RmsNormFuzz, BackwardIsTheTwin) {
  for (uint32_t round = 0; round < 60; ++round) {
    NormCase actual(round), expected(round);
    rms_norm(actual.forward(), GetParam());
    rms_norm_backward(actual.backward(), GetParam());
    rms_norm_backward_reference(expected.backward());
    expect_close(actual.grad_x, expected.grad_x, 1e-5, 1e-5);
    expect_close(actual.grad_weight, expected.grad_weight, 1e-5, 1e-4);
  }
}

TEST_P(RmsNormFuzz, ThreadsChangeNoBit) {
  for (uint32_t round = 0; round < 20; ++round) {
    NormCase one(round);
    ThreadPool single(1);
    rms_norm(one.forward(), GetParam(), single);
    rms_norm_backward(one.backward(), GetParam(), single);
    for (int threads : {2, 3}) {
      NormCase many(round);
      ThreadPool pool(threads);
      rms_norm(many.forward(), GetParam(), pool);
      rms_norm_backward(many.backward(), GetParam(), pool);
      EXPECT_EQ(bits_of(many.y.values()), bits_of(one.y.values()));
      EXPECT_EQ(bits_of(many.grad_x), bits_of(one.grad_x));
      EXPECT_EQ(bits_of(many.grad_weight), bits_of(one.grad_weight));
    }
  }
}

TEST_P(RmsNormFuzz, ARowAloneHasTheBitsItHasAmongOthers) {
  NormCase all(7), alone(7);
  ASSERT_GT(all.rows, 3);
  rms_norm(all.forward(), GetParam());
  for (int64_t row = 0; row < all.rows; ++row) {
    RmsNorm problem = alone.forward();
    Typed y(all.type, all.columns);
    problem.rows = 1;
    problem.x += row * all.stride;
    problem.y = y.data();
    problem.inverse_rms = nullptr;
    rms_norm(problem, GetParam());
    const auto values = all.y.values();
    const std::vector<float> expected(values.begin() + row * all.columns,
                                      values.begin() + (row + 1) * all.columns);
    ASSERT_EQ(bits_of(y.values()), bits_of(expected));
  }
}

TEST_P(RmsNormFuzz, NanStaysInItsRow) {
  NormCase problem(7);
  problem.x[problem.stride] = NAN;
  rms_norm(problem.forward(), GetParam());
  const auto y = problem.y.values();
  for (int64_t i = 0; i < problem.rows * problem.columns; ++i) {
    ASSERT_EQ(std::isnan(y[i]), i / problem.columns == 1) << i;
  }
}

// The derivative of Σ grad_y y, by central differences of the twin.
TEST(RmsNormTwin, BackwardIsTheDerivative) {
  NormCase problem(9);
  ASSERT_EQ(problem.type, DType::f32);
  problem.rows = 2;
  const auto loss = [&] {
    rms_norm_reference(problem.forward());
    const auto y = problem.y.values(), grad = problem.grad_y.values();
    double sum = 0;
    for (int64_t i = 0; i < 2 * problem.columns; ++i) sum += double{grad[i]} * y[i];
    return sum;
  };
  const auto derivative = [&](float& at) {
    const float before = at, step = 1.0f / 128;
    at = before + step;
    const double above = loss();
    at = before - step;
    const double below = loss();
    at = before;
    return (above - below) / (2 * step);
  };
  std::fill(problem.grad_weight.begin(), problem.grad_weight.end(), 0.0f);
  rms_norm_backward_reference(problem.backward());
  for (int64_t c = 0; c < problem.columns; ++c) {
    EXPECT_NEAR(problem.grad_weight[c], derivative(problem.weight[c]), 1e-4);
    EXPECT_NEAR(problem.grad_x[problem.columns + c], derivative(problem.x[problem.stride + c]),
                1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, RmsNormFuzz, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace hone::kernels
