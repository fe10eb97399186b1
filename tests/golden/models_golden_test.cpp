#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "hone/base/files.h"
#include "hone/models/registry.h"
#include "hone/ops/kernel_choice.h"

/// Logits and gradients of tiny models against transformers; see tools/golden/models.py.
namespace hone {
namespace {

const Json& goldens() {
  static const Json json =
      parse_json(read_file(Path(HONE_SOURCE_DIR) / "tests/golden/data/models.json"), "models.json");
  return json.at("cases");
}

/// The same function of name and index as `fill` of the script.
float fill(const std::string& name, uint32_t index, bool matrix_or_bias, bool around_one) {
  uint32_t x = 2166136261u;
  for (unsigned char byte : name) x = (x ^ byte) * 16777619u;
  x += index * 0x9E3779B9u;
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  x = x ^ (x >> 16);
  const double u = x / 2147483648.0 - 1;
  return static_cast<float>(matrix_or_bias ? u * 0.2 : u * 0.1 + (around_one ? 1 : 0));
}

void fill_weights(nn::Weights& weights, bool gemma) {
  for (auto& entry : weights.entries()) {
    at::Tensor& value = entry.parameter.value;
    for (const auto& slice : entry.slices) {
      const at::Tensor rows = value.narrow(0, slice.row_begin, slice.row_count);
      const at::Tensor filled = at::empty(rows.sizes(), at::kFloat);
      float* data = filled.mutable_data_ptr<float>();
      const bool bias = slice.name.ends_with("bias");
      for (int64_t i = 0; i < rows.numel(); ++i) {
        data[i] = fill(slice.name, static_cast<uint32_t>(i), value.dim() > 1 || bias, !gemma);
      }
      rows.copy_(filled);
    }
  }
}

nn::Batch packed(const std::vector<int32_t>& tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  std::vector<int32_t> positions(count);
  for (int64_t i = 0; i < count; ++i) positions[i] = static_cast<int32_t>(i);
  return {at::tensor(tokens, at::kInt), at::tensor(positions, at::kInt),
          ops::plan_forest({{0, count, -1}})};
}

class ModelGolden : public testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(ModelGolden, LogitsAndGradientsAreThoseOfTransformers) {
  const auto& [name, plain] = GetParam();
  const Json& golden = goldens().at(name);
  std::optional<ops::PlainScope> scope;
  if (plain) scope.emplace();
  nn::Weights weights(at::kFloat, at::kCPU);
  const nn::Decoder decoder(models::decoder_config(golden.at("config")), weights);
  fill_weights(weights, name == "gemma3");
  weights.start_training();

  const auto tokens = golden.at("tokens").get<std::vector<int32_t>>();
  const auto count = static_cast<int64_t>(tokens.size());
  const at::Tensor hidden = decoder.forward(packed(tokens), nullptr);
  const at::Tensor last =
      ops::logits(hidden.narrow(0, count - 1, 1).detach(), decoder.head(), decoder.config().head);
  const auto expected = golden.at("logits_last").get<std::vector<float>>();
  for (size_t v = 0; v < expected.size(); ++v) {
    EXPECT_NEAR(last[0][v].item<float>(), expected[v], 1e-4) << "logit " << v;
  }
  const auto [log_prob, entropy] =
      ops::log_probs(hidden.narrow(0, 0, count - 1), decoder.head(),
                     at::tensor(tokens, at::kInt).narrow(0, 1, count - 1).contiguous(),
                     at::ones({count - 1}), decoder.config().head);
  const auto chosen = golden.at("log_probs").get<std::vector<float>>();
  for (size_t t = 0; t < chosen.size(); ++t) {
    EXPECT_NEAR(log_prob[t].item<float>(), chosen[t], 1e-4) << "token " << t;
  }
  torch::autograd::backward({-log_prob.mean()});
  for (const auto& entry : weights.entries()) {
    for (const auto& slice : entry.slices) {
      const auto want = golden.at("gradients").at(slice.name).get<std::vector<double>>();
      const at::Tensor rows = entry.parameter.grad.narrow(0, slice.row_begin, slice.row_count);
      EXPECT_NEAR(rows.norm().item<double>(), want[0], 1e-4 * (1 + want[0])) << slice.name;
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(rows.flatten()[i].item<double>(), want[i + 1], 1e-4) << slice.name;
      }
    }
  }
}

/// log softmax of every position, in double, by a model of `type`.
at::Tensor all_log_probs(const Json& golden, bool gemma, at::ScalarType type) {
  const at::NoGradGuard no_grad;
  nn::Weights weights(type, at::kCPU);
  const nn::Decoder decoder(models::decoder_config(golden.at("config")), weights);
  fill_weights(weights, gemma);
  const auto tokens = golden.at("tokens").get<std::vector<int32_t>>();
  const at::Tensor hidden = decoder.forward(packed(tokens), nullptr);
  return ops::logits(hidden, decoder.head(), decoder.config().head).to(at::kDouble).log_softmax(-1);
}

TEST(ModelGoldenBf16, Bfloat16IsAsCloseToFloat32AsThatOfTransformers) {
  double own = 0, theirs = 0;
  for (const auto& [name, golden] : goldens().items()) {
    const at::Tensor full = all_log_probs(golden, name == "gemma3", at::kFloat);
    const at::Tensor half = all_log_probs(golden, name == "gemma3", at::kBFloat16);
    const double kl = (full.exp() * (full - half)).sum(-1).mean().item<double>();
    EXPECT_LT(kl, golden.at("kl_bf16").get<double>()) << name;
    own += kl;
    theirs += golden.at("kl_bf16").get<double>();
  }
  std::cout << "summed KL of bfloat16: Hone " << own << ", transformers " << theirs << '\n';
}

INSTANTIATE_TEST_SUITE_P(All, ModelGolden,
                         testing::Combine(testing::Values("llama", "llama3", "mistral", "qwen2",
                                                          "qwen3", "gemma3"),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) ? "_plain" : "_kernels");
                         });

}  // namespace
}  // namespace hone
