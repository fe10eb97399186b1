#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "hone/base/threads.h"
#include "hone/runner/engine.h"
#include "hone/train/scoring.h"
#include "tests/tiny_model.h"

/// Law 2: the forward result of a token is a function of weights and prefix alone. Bits are
/// compared, never distances.
namespace hone {
namespace {

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;

struct Case {
  const char* name;
  const char* architecture;
  at::ScalarType type;
};

Json config_of(const std::string& architecture) {
  Json config = testing::tiny_config();
  config["architectures"] = {architecture};
  if (architecture == "MistralForCausalLM") config["sliding_window"] = 40;
  if (architecture == "Gemma3ForCausalLM") {
    config["sliding_window"] = 40;
    config["query_pre_attn_scalar"] = 8;
    config["layer_types"] = {"sliding_attention", "full_attention"};
    config["final_logit_softcapping"] = 20;
  }
  return config;
}

Ids random_ids(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Ids ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(random() % 256));
  return ids;
}

Floats floats(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().contiguous();
  return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class OneArithmetic : public ::testing::TestWithParam<Case> {
 protected:
  OneArithmetic() : model_(config_of(GetParam().architecture), {.type = GetParam().type}) {
    const bool gemma = std::string(GetParam().architecture).starts_with("Gemma");
    testing::fill_weights(model_.weights(), gemma ? 0 : 1);
  }
  void SetUp() override {
    const auto wanted = environment("HONE_ISA");
    for (Isa isa = Isa::amx; wanted && isa > detect_isa();
         isa = static_cast<Isa>(static_cast<int>(isa) - 1)) {
      if (*wanted == isa_name(isa)) GTEST_SKIP() << "this machine has no " << *wanted;
    }
  }
  ~OneArithmetic() override { ThreadPool::set_global_thread_count(2); }

  /// Log-probabilities of the tokens behind `prompt_count`, by the training forward, packed as one
  /// sequence among `others`.
  Floats score(const Ids& ids, int64_t prompt_count, int64_t others = 0, bool tree = false,
               double temperature = 1) const {
    train::Packer packer;
    for (int64_t i = 0; i < others; ++i) {
      const Ids other = random_ids(3 + 7 * i % 90, 100 + static_cast<uint32_t>(i));
      packer.add_leaf(Ids(other.begin() + 1, other.end()), packer.add_trunk(Ids{other[0]}, -1), {},
                      1 + i);
    }
    const std::span<const int32_t> all(ids);
    if (tree) {
      const int64_t trunk = packer.add_trunk(all.first(prompt_count), -1);
      packer.add_leaf(random_ids(33, 5), trunk, {}, 99);
      packer.add_leaf(all.subspan(prompt_count), trunk, {}, 0);
      packer.add_leaf(random_ids(2, 6), trunk, {}, 98);
    } else {
      std::vector<uint8_t> scored(ids.size());
      std::fill(scored.begin() + prompt_count, scored.end(), 1);
      packer.add_leaf(all, -1, scored, 0);
    }
    const at::NoGradGuard no_grad;
    const auto batch = packer.take();
    const Floats values =
        floats(train::score(model_, batch, {.temperature = temperature}).log_prob);
    Floats own;
    for (size_t row = 0; row < values.size(); ++row) {
      if (batch.sources[row].sequence == 0) own.push_back(values[row]);
    }
    return own;
  }

  engine::SchedulerLimits limits(int64_t max_step_tokens) const {
    return {.max_step_tokens = max_step_tokens,
            .max_running = std::min<int64_t>(64, max_step_tokens),
            .max_sequence_tokens = 512,
            .kv_blocks = 400};
  }

  /// Generates one continuation of `prompt` in an engine that also serves `others`.
  std::unique_ptr<engine::Sequence> generate(runner::Engine& engine, const Ids& prompt,
                                             int64_t others, float temperature) const {
    engine::SamplingParams params;
    params.temperature = temperature;
    params.max_tokens = 40;
    params.seed = 3;
    for (int64_t i = 0; i < others; ++i) {
      engine.add({.prompt = random_ids(5 + 11 * i % 70, 200 + static_cast<uint32_t>(i)),
                  .params = params,
                  .item = 1000 + static_cast<uint32_t>(i)});
    }
    const uint64_t id = engine.add({.prompt = prompt, .params = params});
    std::unique_ptr<engine::Sequence> own;
    for (auto& sequence : engine.run()) {
      if (sequence->request_id == id) own = std::move(sequence);
    }
    return own;
  }

  models::Model model_;
};

TEST_P(OneArithmetic, TrainingForwardIgnoresBatchTreeAndThreads) {
  const Ids ids = random_ids(150, 1);
  const Floats alone = score(ids, 60);
  EXPECT_TRUE(same_bits(alone, score(ids, 60, 31))) << "in a batch of 32";
  EXPECT_TRUE(same_bits(alone, score(ids, 60, 0, true))) << "as a branch of a tree";
  EXPECT_TRUE(same_bits(alone, score(ids, 60, 31, true))) << "as a branch in a batch";
  for (int threads : {1, 3}) {
    ThreadPool::set_global_thread_count(threads);
    EXPECT_TRUE(same_bits(alone, score(ids, 60, 5, true))) << threads << " threads";
  }
}

TEST_P(OneArithmetic, EngineAgreesWithTrainerHoweverItIsChunkedAndBatched) {
  const Ids prompt = random_ids(90, 2);
  for (float temperature : {1.0f, 0.7f}) {
    Ids tokens;
    Floats log_probs;
    for (const auto& [chunk, others] :
         {std::pair<int64_t, int64_t>{1, 0}, {7, 0}, {64, 0}, {2048, 0}, {64, 31}, {2048, 31}}) {
      runner::Engine engine(model_.decoder(), model_.weights(), limits(chunk));
      const auto sequence = generate(engine, prompt, others, temperature);
      const Ids output(sequence->output().begin(), sequence->output().end());
      if (tokens.empty()) {
        tokens = output;
        log_probs = sequence->log_probs;
      }
      EXPECT_EQ(tokens, output) << "chunks of " << chunk << " among " << others;
      EXPECT_TRUE(same_bits(log_probs, sequence->log_probs)) << "chunks of " << chunk;
      // Once more over the prefix that the cache now holds.
      const auto again = generate(engine, prompt, 3, temperature);
      EXPECT_GT(again->cached_count, 0);
      EXPECT_TRUE(same_bits(log_probs, again->log_probs)) << "after a prefix hit";
    }
    Ids whole = prompt;
    whole.insert(whole.end(), tokens.begin(), tokens.end());
    EXPECT_TRUE(same_bits(log_probs, score(whole, 90, 0, false, temperature))) << "trainer";
    EXPECT_TRUE(same_bits(log_probs, score(whole, 90, 9, true, temperature))) << "trainer, tree";
  }
}

TEST_P(OneArithmetic, AChangedPrefixChangesTheBits) {
  Ids ids = random_ids(150, 1);
  const Floats before = score(ids, 60);
  ids[0] = (ids[0] + 1) % 256;
  const Floats after = score(ids, 60);
  const bool windowed = std::string(GetParam().architecture) == "MistralForCausalLM";
  // Two layers with windows of 40 reach back 78 tokens.
  EXPECT_EQ(same_bits({before.end() - 10, before.end()}, {after.end() - 10, after.end()}),
            windowed);
}

INSTANTIATE_TEST_SUITE_P(All, OneArithmetic,
                         ::testing::Values(Case{"llama_f32", "LlamaForCausalLM", at::kFloat},
                                           Case{"llama_bf16", "LlamaForCausalLM", at::kBFloat16},
                                           Case{"mistral_bf16", "MistralForCausalLM",
                                                at::kBFloat16},
                                           Case{"qwen3_f32", "Qwen3ForCausalLM", at::kFloat},
                                           Case{"qwen3_bf16", "Qwen3ForCausalLM", at::kBFloat16},
                                           Case{"gemma3_bf16", "Gemma3ForCausalLM", at::kBFloat16}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hone
