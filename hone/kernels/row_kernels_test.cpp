#include <gtest/gtest.h>

#include "hone/kernels/adamw.h"
#include "hone/kernels/head.h"
#include "hone/kernels/pointwise.h"
#include "hone/kernels/test_data.h"

namespace hone::kernels {
namespace {

using testing::Array;
using testing::random_array;
using testing::random_floats;

constexpr DType kTypes[] = {DType::f32, DType::bf16};
constexpr int64_t kColumns[] = {1, 15, 16, 48, 100, 576};

void expect_near(const Array& actual, const Array& expected, double f32, const char* what,
                 Isa isa) {
  for (int64_t i = 0; i < actual.size(); ++i) {
    ASSERT_LE(testing::difference(actual.at(i), expected.at(i)),
              testing::tolerance(actual.type, f32))
        << what << " " << i << " of " << actual.size() << " on " << isa_name(isa);
  }
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, double limit,
                 const char* what, Isa isa) {
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_LE(testing::difference(actual[i], expected[i]), limit)
        << what << " " << i << " of " << actual.size() << " on " << isa_name(isa);
  }
}

TEST(RowKernels, RmsNormEqualsTheReference) {
  std::mt19937 random(1);
  for (DType type : kTypes) {
    for (int64_t columns : kColumns) {
      constexpr int64_t kRows = 150;
      const auto x = random_floats(kRows * (columns + 3), random),
                 weight = random_floats(columns, random);
      Array grad = random_array(type, kRows * columns, random);
      const auto run = [&](auto forward, auto backward) {
        Array y(type, kRows * columns);
        std::vector<float> rms(kRows), grad_x(kRows * columns), grad_weight(columns, 1);
        const RmsNorm problem{kRows, columns, x.data(), columns + 3, weight.data(),
                              1,     1e-5f,   type,     y.data(),    rms.data()};
        forward(problem);
        backward(RmsNormBackward{problem, grad.data(), grad_x.data(), grad_weight.data()});
        return std::tuple(y, grad_x, grad_weight);
      };
      const auto [y, grad_x, grad_weight] = run(rms_norm_reference, rms_norm_backward_reference);
      for (Isa isa : testing::isas()) {
        const auto actual = run([&](auto& p) { rms_norm(p, isa); },
                                [&](const auto& p) { rms_norm_backward(p, isa); });
        expect_near(std::get<0>(actual), y, 2e-6, "y", isa);
        expect_near(std::get<1>(actual), grad_x, 2e-5, "grad_x", isa);
        expect_near(std::get<2>(actual), grad_weight, 2e-5, "grad_weight", isa);
      }
    }
  }
}

TEST(RowKernels, RopeEqualsTheReferenceAndTurnsBack) {
  std::mt19937 random(2);
  for (DType type : kTypes) {
    constexpr int64_t kTokens = 9, kHeads = 3, kDim = 22;
    const auto cosine = random_floats(50 * 8, random), sine = random_floats(50 * 8, random);
    const std::vector<int32_t> positions{0, 3, 1, 49, 7, 7, 2, 20, 11};
    auto x = random_floats(kTokens * (kHeads * kDim + 5), random);
    for (bool inverse : {false, true}) {
      Array expected(type, kTokens * kHeads * kDim);
      Rope problem{
          kTokens,         kHeads,       kDim,       16,       positions.data(),  cosine.data(),
          sine.data(),     inverse,      DType::f32, x.data(), kHeads * kDim + 5, type,
          expected.data(), kHeads * kDim};
      rope_reference(problem);
      for (Isa isa : testing::isas()) {
        Array actual(type, expected.size());
        problem.y = actual.data();
        rope(problem, isa);
        expect_near(actual, expected, 1e-6, "rope", isa);
      }
    }
  }
}

TEST(RowKernels, GatedActivationEqualsTheReference) {
  std::mt19937 random(3);
  for (Activation activation : {Activation::silu, Activation::gelu_tanh}) {
    for (DType type : kTypes) {
      constexpr int64_t kRows = 20, kWidth = 37;
      const auto gate_up = random_floats(kRows * 2 * kWidth, random, 3);
      Array grad = random_array(type, kRows * kWidth, random), expected(type, kRows * kWidth);
      GatedActivation problem{kRows, kWidth, activation, gate_up.data(), type, expected.data()};
      gated_activation_reference(problem);
      std::vector<float> expected_grad(gate_up.size());
      gated_activation_backward_reference({problem, grad.data(), expected_grad.data()});
      for (Isa isa : testing::isas()) {
        Array actual(type, kRows * kWidth);
        std::vector<float> actual_grad(gate_up.size());
        problem.y = actual.data();
        gated_activation(problem, isa);
        gated_activation_backward({problem, grad.data(), actual_grad.data()}, isa);
        expect_near(actual, expected, 3e-6, "y", isa);
        expect_near(actual_grad, expected_grad, 3e-6, "grad", isa);
      }
    }
  }
}

TEST(RowKernels, AdamWFollowsTheReferenceForManySteps) {
  std::mt19937 random(4);
  constexpr int64_t kCount = 1003;
  const auto start = random_floats(kCount, random);
  for (Isa isa : testing::isas()) {
    struct State {
      std::vector<float> master, m, v;
      Array value;
    };
    const auto make = [&] {
      return State{
          start, std::vector<float>(kCount), std::vector<float>(kCount), {DType::bf16, kCount}};
    };
    State plain = make(), fast = make();
    for (int step = 1; step <= 100; ++step) {
      const auto grad = random_floats(kCount, random);
      for (State* state : {&plain, &fast}) {
        const AdamW problem{.count = kCount,
                            .grad = grad.data(),
                            .grad_scale = 0.7f,
                            .master = state->master.data(),
                            .first_moment = state->m.data(),
                            .second_moment = state->v.data(),
                            .value = state->value.data(),
                            .lr = 1e-2f,
                            .weight_decay = 0.1f,
                            .bias_correction1 = static_cast<float>(1 - std::pow(0.9, step)),
                            .bias_correction2 = static_cast<float>(1 - std::pow(0.999, step))};
        state == &plain ? adamw_reference(problem) : adamw(problem, isa);
      }
    }
    expect_near(fast.master, plain.master, 2e-5, "master", isa);
    expect_near(fast.value, plain.value, 0, "value", isa);
  }
}

TEST(RowKernels, HeadEqualsTheReference) {
  std::mt19937 random(5);
  for (DType type : kTypes) {
    for (float softcap : {0.0f, 5.0f}) {
      constexpr int64_t kRows = 7, kWidth = 40, kVocabulary = kVocabularyChunk + 133;
      Array x = random_array(type, kRows * kWidth, random);
      Array w = random_array(type, kVocabulary * kWidth, random, 0.3f);
      const std::vector<float> inverse{1, 1, 2, 0.5f, 1, 1.4f, 1};
      const std::vector<int32_t> targets{0, 5, 2047, 2048, 2180, 77, 100};
      const auto grad_log_prob = random_floats(kRows, random),
                 grad_entropy = random_floats(kRows, random);
      const auto run = [&](auto forward, auto backward) {
        std::vector<std::vector<float>> r(3, std::vector<float>(kRows));
        r.emplace_back(kRows * kWidth);
        r.emplace_back(kVocabulary * kWidth);
        const Head problem{kRows,          kWidth,
                           kVocabulary,    type,
                           x.data(),       w.data(),
                           softcap,        inverse.data(),
                           targets.data(), {r[0].data(), r[1].data(), r[2].data()}};
        forward(problem);
        backward(HeadBackward{problem, grad_log_prob.data(), grad_entropy.data(), r[3].data(),
                              r[4].data()});
        return r;
      };
      const auto expected = run(head_log_probs_reference, head_backward_reference);
      const char* names[] = {"log_prob", "log_sum_exp", "entropy", "grad_x", "grad_w"};
      for (Isa isa : testing::isas()) {
        const auto actual = run([&](auto& p) { head_log_probs(p, isa); },
                                [&](const auto& p) { head_backward(p, isa); });
        for (int i = 0; i < 5; ++i) {
          const double limit = i < 3 ? 1e-5 : testing::tolerance(type, 2e-5);
          expect_near(actual[i], expected[i], limit, names[i], isa);
        }
      }
    }
  }
}

TEST(RowKernels, WholeLogitsGiveTheBitsOfTheFusedHead) {
  std::mt19937 random(6);
  constexpr int64_t kRows = 5, kWidth = 33, kVocabulary = 5000;
  Array x = random_array(DType::bf16, kRows * kWidth, random);
  Array w = random_array(DType::bf16, kVocabulary * kWidth, random);
  const std::vector<float> inverse{1, 0.7f, 1, 2, 1};
  const std::vector<int32_t> targets{4999, 0, 2048, 7, 4095};
  for (Isa isa : testing::isas()) {
    std::vector<float> fused(kRows), whole(kRows), sums(kRows), logits(kRows * kVocabulary);
    const Head problem{
        kRows,    kWidth, kVocabulary,    DType::bf16,    x.data(),
        w.data(), 30,     inverse.data(), targets.data(), {fused.data(), sums.data(), nullptr}};
    head_log_probs(problem, isa);
    head_logits(problem, logits.data(), kVocabulary, isa);
    logit_log_probs({kRows,
                     kVocabulary,
                     logits.data(),
                     kVocabulary,
                     inverse.data(),
                     targets.data(),
                     {whole.data(), sums.data(), nullptr}},
                    isa);
    EXPECT_EQ(fused, whole) << isa_name(isa);
    for (float log_prob : fused) EXPECT_LE(log_prob, 0);
  }
}

TEST(RowKernels, AWholeChunkOfMaskedLogitsCountsNothing) {
  for (Isa isa : testing::isas()) {
    std::vector<float> logits(kVocabularyChunk + 2, -INFINITY), out(1), sums(1);
    logits[kVocabularyChunk] = logits[kVocabularyChunk + 1] = 3;
    const float one = 1;
    const int32_t target = kVocabularyChunk;
    const auto count = static_cast<int64_t>(logits.size());
    logit_log_probs(
        {1, count, logits.data(), count, &one, &target, {out.data(), sums.data(), nullptr}}, isa);
    EXPECT_NEAR(out[0], -0.6931472f, 1e-6f) << isa_name(isa);
  }
}

TEST(RowKernels, ANanLogitIsNeverASilentNumber) {
  for (Isa isa : testing::isas()) {
    std::vector<float> logits(3000, 1), out(1), sums(1);
    const float one = 1;
    const int32_t target = 5;
    for (int64_t place : {0, 17, 2999}) {
      auto broken = logits;
      broken[place] = NAN;
      logit_log_probs(
          {1, 3000, broken.data(), 3000, &one, &target, {out.data(), sums.data(), nullptr}}, isa);
      EXPECT_TRUE(std::isnan(out[0])) << place << " on " << isa_name(isa);
    }
  }
}

}  // namespace
}  // namespace hone::kernels
