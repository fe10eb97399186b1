#include "hone/kernels/head.h"

#include "hone/kernels/head_test_data.h"

namespace hone::kernels {
namespace {

/// Rows beyond one block and vocabularies beyond one chunk come every few rounds.
HeadShape random_shape(uint32_t round) {
  const RandomStream random{31, round};
  HeadShape shape{.rows = static_cast<int64_t>(random.below(0, 20)),
                  .columns = static_cast<int64_t>(random.below(1, 40)) + 1,
                  .vocabulary = static_cast<int64_t>(random.below(2, 100)) + 1,
                  .type = round & 1 ? DType::f32 : DType::bf16,
                  .softcap = round & 2 ? 2.0f : 0.0f};
  if (round % 5 == 0) shape.rows += 510;
  if (round % 7 == 0) shape.vocabulary += kVocabularyChunk - 50;
  return shape;
}

class HeadFuzz : public testing::TestWithParam<Isa> {};

TEST_P(HeadFuzz, StatisticsAreTheTwins) {
  for (uint32_t round = 0; round < 35; ++round) {
    SCOPED_TRACE(round);
    HeadCase actual(random_shape(round), round), expected(random_shape(round), round);
    head_log_probs(actual.head(), GetParam());
    head_log_probs_reference(expected.head());
    expect_close(actual.log_prob, expected.log_prob, 2e-6, 2e-5);
    expect_close(actual.log_sum_exp, expected.log_sum_exp, 2e-6, 2e-5);
    expect_close(actual.entropy, expected.entropy, 1e-5, 5e-5);
    for (float value : actual.log_prob) ASSERT_LE(value, 0.0f);
  }
}

/// Σ |dz| |w| of each element of grad_x and Σ |dz| |x| of each of grad_w, from twins of one row.
struct GradientMagnitudes {
  std::vector<double> x, w;

  explicit GradientMagnitudes(HeadCase& problem)
      : x(problem.grad_x.size()), w(problem.grad_w.size()) {
    const int64_t columns = problem.shape.columns;
    const auto x_values = problem.x.values(), w_values = problem.w.values();
    for (int64_t row = 0; row < problem.shape.rows; ++row) {
      std::vector<float> grad_w(w.size());
      HeadBackward one = problem.backward();
      one.forward = problem.row_alone(row);
      one.grad_log_prob += row;
      one.grad_entropy += row;
      one.grad_x = nullptr;
      one.grad_w = grad_w.data();
      head_backward_reference(one);
      int64_t largest = 0;
      for (int64_t c = 0; c < columns; ++c) {
        const float* values = x_values.data() + row * columns;
        if (std::fabs(values[c]) > std::fabs(values[largest])) largest = c;
      }
      for (size_t i = 0; i < w.size(); ++i) {
        const int64_t v = i / columns, c = i % columns;
        const double dz = grad_w[v * columns + largest] / x_values[row * columns + largest];
        w[i] += std::fabs(grad_w[i]);
        x[row * columns + c] += std::fabs(dz * w_values[i]);
      }
    }
  }
};

// dz is rounded to the type before the products: an error of at most 2^-8 of each term in bf16.
TEST_P(HeadFuzz, GradientsAreTheTwins) {
  for (uint32_t round = 0; round < 35; ++round) {
    SCOPED_TRACE(round);
    const HeadShape shape = random_shape(round);
    HeadCase actual(shape, round), expected(shape, round);
    head_log_probs(actual.head(), GetParam());
    head_backward(actual.backward(), GetParam());
    const GradientMagnitudes magnitudes(expected);
    head_backward_reference(expected.backward());
    const double unit = shape.type == DType::f32 ? 1e-5 : 1.0 / 256 + 1e-5;
    for (size_t i = 0; i < actual.grad_x.size(); ++i) {
      ASSERT_NEAR(actual.grad_x[i], expected.grad_x[i], unit * magnitudes.x[i] + 1e-5) << i;
    }
    for (size_t i = 0; i < actual.grad_w.size(); ++i) {
      ASSERT_NEAR(actual.grad_w[i], expected.grad_w[i], unit * magnitudes.w[i] + 1e-5) << i;
    }
  }
}

TEST_P(HeadFuzz, GradientsHaveTheSameBitsOnAnyThreads) {
  for (uint32_t round : {5, 7, 10, 14}) {
    HeadCase one(random_shape(round), round);
    ThreadPool single(1);
    head_log_probs(one.head(), GetParam(), single);
    head_backward(one.backward(), GetParam(), single);
    for (int threads : {2, 3}) {
      HeadCase many(random_shape(round), round);
      ThreadPool pool(threads);
      head_log_probs(many.head(), GetParam(), pool);
      head_backward(many.backward(), GetParam(), pool);
      EXPECT_EQ(bits_of(many.grad_x), bits_of(one.grad_x));
      EXPECT_EQ(bits_of(many.grad_w), bits_of(one.grad_w));
    }
  }
}

TEST_P(HeadFuzz, GradientsMayBeLeftOut) {
  HeadCase full(random_shape(35), 35), part(random_shape(35), 35);
  for (HeadCase* problem : {&full, &part}) head_log_probs(problem->head(), GetParam());
  head_backward(full.backward(), GetParam());
  HeadBackward only_x = part.backward(), only_w = part.backward();
  only_x.grad_w = only_w.grad_x = nullptr;
  head_backward(only_x, GetParam());
  head_backward(only_w, GetParam());
  EXPECT_EQ(bits_of(part.grad_x), bits_of(full.grad_x));
  EXPECT_EQ(bits_of(part.grad_w), bits_of(full.grad_w));
}

// Central differences of Σ grad_log_prob log_prob + grad_entropy entropy.
TEST(HeadTwin, BackwardIsTheDerivative) {
  for (float softcap : {0.0f, 2.0f}) {
    HeadCase problem({.rows = 3, .columns = 5, .vocabulary = 7, .softcap = softcap});
    std::fill(problem.grad_w.begin(), problem.grad_w.end(), 0.0f);
    problem.inverse_temperature = {1, 0.7f, 1.5f};
    head_backward_reference(problem.backward());
    const auto loss = [&] {
      head_log_probs_reference(problem.head());
      double sum = 0;
      for (int row = 0; row < 3; ++row) {
        sum += double{problem.grad_log_prob[row]} * problem.log_prob[row];
        sum += double{problem.grad_entropy[row]} * problem.entropy[row];
      }
      return sum;
    };
    const auto check = [&](Typed& values, const std::vector<float>& grad) {
      for (size_t i = 0; i < grad.size(); ++i) {
        float& at = static_cast<float*>(values.data())[i];
        const float before = at, step = 1.0f / 128;
        at = before + step;
        const double above = loss();
        at = before - step;
        const double below = loss();
        at = before;
        ASSERT_NEAR(grad[i], (above - below) / (2 * step), 3e-4) << i;
      }
    };
    check(problem.x, problem.grad_x);
    check(problem.w, problem.grad_w);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryPath, HeadFuzz, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace hone::kernels
