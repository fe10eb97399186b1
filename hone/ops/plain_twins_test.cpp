#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <random>

#include "hone/ops/attention.h"
#include "hone/ops/embedding.h"
#include "hone/ops/gated_activation.h"
#include "hone/ops/head.h"
#include "hone/ops/kernel_choice.h"
#include "hone/ops/linear.h"
#include "hone/ops/rms_norm.h"
#include "hone/ops/rope.h"

/// Every fused op against its plain twin: value, gradient of every input, gradient of every
/// parameter, in float32 and bfloat16, over random shapes with tails.
namespace hone::ops {
namespace {

using Tensors = std::vector<at::Tensor>;

/// One op on fixed inputs. `run` is called once with the kernels and once with the plain twin.
struct OpCase {
  Tensors inputs;
  std::vector<Parameter> parameters;
  std::function<Tensors(const OpCase&)> run;

  void input(at::IntArrayRef shape, at::ScalarType type) {
    inputs.push_back(at::randn(shape).to(type).requires_grad_());
  }
  void parameter(at::IntArrayRef shape, at::ScalarType type) {
    Parameter made{.name = "p" + std::to_string(parameters.size()),
                   .value = (at::randn(shape) * 0.5).to(type).requires_grad_(),
                   .grad = {}};
    made.allocate_grad();
    parameters.push_back(std::move(made));
  }
  /// Outputs, then gradients of inputs, then of parameters, for random output gradients.
  Tensors outputs_and_gradients() const {
    for (const Parameter& each : parameters) each.grad.zero_();
    for (const at::Tensor& each : inputs) each.mutable_grad() = at::Tensor();
    const Tensors outputs = run(*this);
    at::manual_seed(7);
    Tensors seeds, all = outputs;
    for (const at::Tensor& out : outputs) seeds.push_back(at::randn(out.sizes()).to(out.dtype()));
    torch::autograd::backward(outputs, seeds);
    for (const at::Tensor& each : inputs) all.push_back(each.grad());
    for (const Parameter& each : parameters) all.push_back(each.grad.clone());
    return all;
  }
};

class PlainTwins : public testing::TestWithParam<at::ScalarType> {
 protected:
  at::ScalarType type() const { return GetParam(); }
  int64_t any(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  at::Tensor integers(int64_t count, int64_t below) {
    std::vector<int32_t> values(count);
    for (auto& value : values) value = static_cast<int32_t>(any(0, below - 1));
    return at::tensor(values, at::kInt);
  }

  /// Rounding of bfloat16 is 2^-9 of a value and a sum of n of them adds up to about sqrt(n) such
  /// errors; what is bounded is the error of the whole tensor relative to its size.
  void expect_twins(const OpCase& op) const {
    const Tensors fused = op.outputs_and_gradients();
    const PlainScope plain;
    const Tensors twin = op.outputs_and_gradients();
    ASSERT_EQ(fused.size(), twin.size());
    for (size_t i = 0; i < fused.size(); ++i) {
      ASSERT_TRUE(fused[i].defined() && twin[i].defined()) << "tensor " << i;
      EXPECT_EQ(fused[i].scalar_type(), twin[i].scalar_type()) << "tensor " << i;
      const at::Tensor want = twin[i].to(at::kDouble), got = fused[i].to(at::kDouble);
      ASSERT_EQ(want.sizes(), got.sizes()) << "tensor " << i;
      const double error = (want - got).norm().item<double>() / want.norm().item<double>();
      EXPECT_LT(error, type() == at::kFloat ? 2e-6 : 6e-3) << "tensor " << i;
    }
  }

  std::mt19937_64 random_{11};
};

TEST_P(PlainTwins, Linear) {
  for (int round = 0; round < 8; ++round) {
    OpCase op;
    const int64_t k = any(1, 150), n = any(1, 150);
    op.input({any(1, 70), k}, type());
    op.parameter({n, k}, type());
    if (round % 2) op.parameter({n}, type());
    op.run = [](const OpCase& c) -> Tensors {
      const Parameter* bias = c.parameters.size() > 1 ? &c.parameters[1] : nullptr;
      return {linear(c.inputs[0], c.parameters[0], bias)};
    };
    expect_twins(op);
  }
}

TEST_P(PlainTwins, RmsNorm) {
  for (double offset : {0.0, 1.0}) {
    OpCase op;
    const int64_t width = any(2, 300);
    op.input({any(1, 40), width}, at::kFloat);
    op.parameter({width}, type());
    op.run = [=, this](const OpCase& c) -> Tensors {
      return {rms_norm(c.inputs[0], c.parameters[0], {1e-5, offset}, type())};
    };
    expect_twins(op);
  }
}

TEST_P(PlainTwins, GatedActivation) {
  for (Activation activation : {Activation::silu, Activation::gelu_tanh}) {
    OpCase op;
    op.input({any(1, 40), 2 * any(1, 150)}, at::kFloat);
    op.run = [=, this](const OpCase& c) -> Tensors {
      return {gated_activation(c.inputs[0], activation, type())};
    };
    expect_twins(op);
  }
}

TEST_P(PlainTwins, Rope) {
  for (int64_t half : {4, 13, 32}) {
    OpCase op;
    const int64_t tokens = any(1, 40), heads = any(1, 5);
    op.input({tokens, heads * 2 * half}, at::kFloat);
    const at::Tensor angle = at::rand({64, half}) * 6.28;
    const RopeTable table{angle.cos(), angle.sin()};
    const at::Tensor positions = integers(tokens, 64);
    op.run = [=, this](const OpCase& c) -> Tensors {
      return {rope(c.inputs[0], 2 * half, positions, table, type())};
    };
    expect_twins(op);
  }
}

TEST_P(PlainTwins, Embedding) {
  OpCase op;
  op.parameter({17, 37}, type());
  const at::Tensor ids = integers(60, 17);  // every row several times
  op.run = [=](const OpCase& c) -> Tensors { return {embedding(ids, c.parameters[0], 1.5)}; };
  expect_twins(op);
}

TEST_P(PlainTwins, LogProbsAndEntropy) {
  for (double softcap : {0.0, 5.0}) {
    OpCase op;
    const int64_t rows = any(1, 40), width = any(2, 90), vocabulary = any(2, 700);
    op.input({rows, width}, type());
    op.parameter({vocabulary, width}, type());
    const at::Tensor targets = integers(rows, vocabulary);
    const at::Tensor inverse_temperature = at::rand({rows}) * 0.2 + 0.1;
    op.run = [=](const OpCase& c) -> Tensors {
      const auto [log_prob, entropy] =
          log_probs(c.inputs[0], c.parameters[0], targets, inverse_temperature, {softcap});
      return {log_prob, entropy};
    };
    expect_twins(op);
  }
}

TEST_P(PlainTwins, AttentionOverTrees) {
  for (int round = 0; round < 6; ++round) {
    AttentionShape shape{.heads = 6, .kv_heads = round % 2 ? 2 : 6, .head_dim = 8 * any(1, 5)};
    shape.type = type() == at::kFloat ? kernels::DType::f32 : kernels::DType::bf16;
    shape.scale = 0.3f;
    shape.window = round % 3 == 2 ? any(1, 40) : 0;
    shape.softcap = round % 3 == 1 ? 4 : 0;
    std::vector<kernels::TreeSegment> segments;  // a prompt, its completions, a lone sequence
    int64_t tokens = 0;
    for (int64_t parent : {-1, 0, 0, 0, -1}) {
      const int64_t count = any(1, 50);
      segments.push_back({tokens, count, parent});
      tokens += count;
    }
    OpCase op;
    op.input({tokens, shape.heads, shape.head_dim}, type());
    op.input({tokens, shape.kv_heads, shape.head_dim}, type());
    op.input({tokens, shape.kv_heads, shape.head_dim}, type());
    const auto plan = plan_forest(segments);
    op.run = [=](const OpCase& c) -> Tensors {
      return {attention(c.inputs[0], c.inputs[1], c.inputs[2], shape, plan, nullptr)};
    };
    expect_twins(op);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlainTwins, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& info) { return c10::toString(info.param); });

}  // namespace
}  // namespace hone::ops
