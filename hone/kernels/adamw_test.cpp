#include "hone/kernels/adamw.h"

#include "hone/kernels/row_test_data.h"

namespace hone::kernels {
namespace {

struct AdamWCase {
  AdamWCase(int64_t count, DType type)
      : grad(random_values(count, 1)),
        master(random_values(count, 2)),
        first_moment(random_values(count, 3, 0.1f)),
        second_moment(random_values(count, 4, 0.1f)),
        value(type, count),
        problem{.count = count,
                .grad = grad.data(),
                .grad_scale = 0.25f,
                .master = master.data(),
                .first_moment = first_moment.data(),
                .second_moment = second_moment.data(),
                .type = type,
                .value = value.data(),
                .lr = 0.01f,
                .weight_decay = 0.1f,
                .bias_correction1 = 0.271f,
                .bias_correction2 = 0.003f} {
    for (float& moment : second_moment) moment = std::fabs(moment);
  }
  AdamWCase(const AdamWCase&) = delete;

  std::vector<float> grad, master, first_moment, second_moment;
  Typed value;
  AdamW problem;
};

class AdamWTest : public testing::TestWithParam<Isa> {};

TEST_P(AdamWTest, OneStepIsTheTwin) {
  for (DType type : {DType::f32, DType::bf16}) {
    for (int64_t count : {0, 1, 15, 16, 17, 1000, 40000}) {
      AdamWCase actual(count, type), expected(count, type);
      adamw(actual.problem, GetParam());
      adamw_reference(expected.problem);
      expect_close(actual.master, expected.master, 1e-6, 1e-6);
      expect_close(actual.first_moment, expected.first_moment, 1e-6, 1e-8);
      expect_close(actual.second_moment, expected.second_moment, 1e-6, 1e-9);
      const Typed rounded(type, actual.master);
      EXPECT_EQ(bits_of(actual.value.values()), bits_of(rounded.values()));
    }
  }
}

TEST_P(AdamWTest, ThreadsChangeNoBit) {
  AdamWCase one(50001, DType::bf16), three(50001, DType::bf16);
  ThreadPool single(1), pool(3);
  adamw(one.problem, GetParam(), single);
  adamw(three.problem, GetParam(), pool);
  EXPECT_EQ(bits_of(one.master), bits_of(three.master));
  EXPECT_EQ(bits_of(one.second_moment), bits_of(three.second_moment));
}

TEST_P(AdamWTest, NanStaysAtItsElement) {
  AdamWCase problem(40, DType::bf16);
  problem.grad[20] = NAN;
  adamw(problem.problem, GetParam());
  const auto value = problem.value.values();
  for (int64_t i = 0; i < 40; ++i) ASSERT_EQ(std::isnan(value[i]), i == 20) << i;
}

INSTANTIATE_TEST_SUITE_P(EveryPath, AdamWTest, testing::ValuesIn(row_test_isas()),
                         [](const auto& info) { return isa_name(info.param); });

TEST(SquaredNorm, HasTheSameBitsOnAnyThreads) {
  for (int64_t count : {0, 1, 17, 16384, 16385, 100003}) {
    const auto x = random_values(count, 9, 1e20f);
    double sum = 0;
    for (float v : x) sum += double{v} * v;
    ThreadPool single(1);
    const double norm = squared_norm(x.data(), count, single);
    EXPECT_NEAR(norm, sum, 1e-13 * sum);
    for (int threads : {2, 3}) {
      ThreadPool pool(threads);
      EXPECT_EQ(squared_norm(x.data(), count, pool), norm);
    }
  }
}

TEST(SquaredNorm, NanIsNotLost) {
  std::vector<float> x(1000, 1.0f);
  x[777] = NAN;
  EXPECT_TRUE(std::isnan(squared_norm(x.data(), 1000)));
}

}  // namespace
}  // namespace hone::kernels
