#include "hone/kernels/pointwise.h"

#include "hone/kernels/row_test_data.h"

namespace hone::kernels {
namespace {

struct GatedCase {
  explicit GatedCase(uint32_t round)
      : random{7, round},
        rows(random.below(0, 30)),
        columns(random.below(1, 100) + 1),
        type(round & 1 ? DType::f32 : DType::bf16),
        activation(round & 2 ? Activation::silu : Activation::gelu_tanh),
        gate_up(random_values(rows * 2 * columns, round, round % 5 == 0 ? 100 : 5)),
        grad_y(type, random_values(rows * columns, round + 1000)),
        y(type, rows * columns),
        grad_gate_up(rows * 2 * columns, NAN) {}

  GatedActivation forward() { return {rows, columns, activation, gate_up.data(), type, y.data()}; }
  GatedActivationBackward backward() { return {forward(), grad_y.data(), grad_gate_up.data()}; }

  RandomStream random;
  int64_t rows, columns;
  DType type;
  Activation activation;
  std::vector<float> gate_up;
  Typed grad_y, y;
  std::vector<float> grad_gate_up;
};

class GatedActivationFuzz : public testing::TestWithParam<Isa> {};

TEST_P(GatedActivationFuzz, BothDirectionsAreTheTwins) {
  for (uint32_t round = 0; round < 80; ++round) {
    ThreadPool pool(1 + round % 3);
    GatedCase actual(round), expected(round);
    gated_activation(actual.forward(), GetParam(), pool);
    gated_activation_reference(expected.forward());
    expect_close(actual.y.values(), expected.y.values(), rounding(actual.type), 2e-6);
    gated_activation_backward(actual.backward(), GetParam(), pool);
    gated_activation_backward_reference(expected.backward());
    expect_close(actual.grad_gate_up, expected.grad_gate_up, 3e-6, 5e-6);
  }
}

TEST_P(GatedActivationFuzz, NanStaysAtItsElement) {
  for (Activation activation : {Activation::silu, Activation::gelu_tanh}) {
    GatedCase problem(4);
    problem.activation = activation;
    ASSERT_GT(problem.rows, 1);
    problem.gate_up[0] = NAN;
    gated_activation(problem.forward(), GetParam());
    const auto y = problem.y.values();
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(std::isnan(y[i]), i == 0) << i;
  }
}

TEST(GatedActivationTwin, BackwardIsTheDerivative) {
  for (uint32_t round : {1, 3}) {
    GatedCase problem(round);
    ASSERT_EQ(problem.type, DType::f32);
    const auto loss = [&] {
      gated_activation_reference(problem.forward());
      const auto y = problem.y.values(), grad = problem.grad_y.values();
      double sum = 0;
      for (size_t i = 0; i < y.size(); ++i) sum += double{grad[i]} * y[i];
      return sum;
    };
    gated_activation_backward_reference(problem.backward());
    for (int64_t i = 0; i < 2 * problem.columns; ++i) {
      const float before = problem.gate_up[i], step = 1.0f / 256;
      problem.gate_up[i] = before + step;
      const double above = loss();
      problem.gate_up[i] = before - step;
      const double below = loss();
      problem.gate_up[i] = before;
      EXPECT_NEAR(problem.grad_gate_up[i], (above - below) / (2 * step), 2e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, GatedActivationFuzz, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace hone::kernels
