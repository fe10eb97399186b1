#include "hone/io/gguf_import.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/cpu.h"
#include "hone/io/model_folder.h"
#include "hone/io/tiny_gguf.h"

namespace hone::io {
namespace {

using namespace testing;  // the tiny files

const Path kFile = Path(::testing::TempDir()) / "hone_gguf_import.gguf";
const Path kFolder = Path(::testing::TempDir()) / "hone_gguf_import";

/// The folder of this file; one from an earlier test is replaced.
ModelFolder imported(const TinyGguf& file) {
  write_file(kFile, file.bytes());
  import_gguf(kFile, kFolder);
  return ModelFolder(kFolder);
}

Json tokenizer() {
  return parse_json(read_file(kFolder / "tokenizer.json"), "tokenizer.json");
}

std::vector<float> weights(const ModelFolder& folder, const std::string& name) {
  const auto file = folder.weights().at(0);
  const TensorView& view = file->tensor(name);
  EXPECT_EQ(view.type, ElementType::bf16);
  std::vector<float> values(view.element_count());
  to_f32(view, values.data());
  return values;
}

/// The first column divided by the width: the row numbers of a `counting` matrix of 8 columns.
std::vector<int> row_order(const std::vector<float>& values) {
  std::vector<int> rows;
  for (size_t i = 0; i < values.size(); i += 8) rows.push_back(static_cast<int>(values[i]) / 8);
  return rows;
}

/// Why the import is refused; nothing may appear.
std::string refusal(const TinyGguf& file) {
  std::filesystem::remove_all(kFolder);
  try {
    imported(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_FALSE(std::filesystem::exists(kFolder));
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GgufImport, LlamaRowsComeBackInHalves) {
  const ModelFolder folder = imported(tiny_llama());
  EXPECT_EQ(row_order(weights(folder, "model.layers.0.self_attn.q_proj.weight")),
            (std::vector<int>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(row_order(weights(folder, "model.layers.0.self_attn.k_proj.weight")),
            (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(row_order(weights(folder, "model.layers.0.self_attn.v_proj.weight")),
            (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(weights(folder, "model.layers.0.post_attention_layernorm.weight")[0], 1);
}

TEST(GgufImport, QwenRowsStay) {
  TinyGguf file = tiny_llama("qwen2");
  file.set("tokenizer.ggml.pre", text_value("qwen2"));
  file.tensors.push_back(counting("blk.0.attn_q.bias", {8}, 0));
  const ModelFolder folder = imported(file);
  EXPECT_EQ(folder.config()["architectures"][0], "Qwen2ForCausalLM");
  EXPECT_EQ(row_order(weights(folder, "model.layers.0.self_attn.q_proj.weight")),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(weights(folder, "model.layers.0.self_attn.q_proj.bias")[3], 3);
  EXPECT_EQ(tokenizer()["normalizer"]["type"], "NFC");
}

TEST(GgufImport, GemmaNormsLoseTheirOne) {
  TinyGguf file = tiny_llama("gemma3");
  file.set("gemma3.attention.sliding_window", u32_value(16));
  file.tensors.push_back(counting("blk.0.post_attention_norm.weight", {8}, 1));
  file.tensors.push_back(counting("blk.0.post_ffw_norm.weight", {8}, 1));
  const ModelFolder folder = imported(file);
  for (const char* norm : {"input", "post_attention", "pre_feedforward", "post_feedforward"}) {
    EXPECT_EQ(weights(folder, fmt::format("model.layers.0.{}_layernorm.weight", norm))[0], 0);
  }
  EXPECT_EQ(weights(folder, "model.norm.weight")[1], 1);
  EXPECT_EQ(folder.config()["layer_types"], Json({"sliding_attention"}));
  EXPECT_EQ(folder.config()["query_pre_attn_scalar"], 4);
}

TEST(GgufImport, Configuration) {
  const ModelFolder folder = imported(tiny_llama());
  const Json& config = folder.config();
  EXPECT_EQ(config["model_type"], "llama");
  EXPECT_EQ(config["head_dim"], 4);
  EXPECT_EQ(config["vocab_size"], 6);
  EXPECT_EQ(config["tie_word_embeddings"], true);
  EXPECT_EQ(folder.eos_token_ids(), std::vector<int32_t>{0});
  EXPECT_EQ(folder.template_variables()["bos_token"], "<s>");
  EXPECT_EQ(folder.chat_template(), "{{ messages }}");
  TinyGguf untied = tiny_llama();
  untied.tensors.push_back(counting("output.weight", {6, 8}, 0));
  EXPECT_EQ(imported(untied).config()["tie_word_embeddings"], false);
}

TEST(GgufImport, TokenizerFollowsThePreTokenizersName) {
  imported(tiny_llama());
  const Json smollm = tokenizer();
  EXPECT_EQ(smollm["pre_tokenizer"]["pretokenizers"][0]["type"], "Digits");
  EXPECT_EQ(smollm["pre_tokenizer"]["pretokenizers"][0]["individual_digits"], true);
  EXPECT_EQ(smollm["pre_tokenizer"]["pretokenizers"][1]["use_regex"], true);
  EXPECT_EQ(smollm["added_tokens"][0]["special"], true);
  EXPECT_EQ(smollm["added_tokens"][1]["special"], false);
  EXPECT_EQ(smollm["model"]["merges"], Json::array({{"a", "b"}}));
  TinyGguf file = tiny_llama();
  file.set("tokenizer.ggml.pre", text_value("llama-bpe"));
  imported(file);
  EXPECT_EQ(tokenizer()["pre_tokenizer"]["pretokenizers"][0]["behavior"], "Isolated");
  EXPECT_EQ(tokenizer()["pre_tokenizer"]["pretokenizers"][1]["use_regex"], false);
}

TEST(GgufImport, SentencePieceMergesFollowTheScores) {
  TinyGguf file = tiny_llama();
  file.set("tokenizer.ggml.model", text_value("llama"));
  file.set("tokenizer.ggml.tokens", list_value({"<u>", "<s>", "a", "b", "ab", "aba"}));
  file.set("tokenizer.ggml.token_type", list_value({2, 3, 1, 1, 1, 1}));
  file.set("tokenizer.ggml.scores", f32_list_value({0.f, 0.f, -3.f, -4.f, -2.f, -1.f}));
  file.set("tokenizer.ggml.unknown_token_id", u32_value(0));
  file.set("tokenizer.ggml.bos_token_id", u32_value(1));
  imported(file);
  const Json json = tokenizer();
  EXPECT_EQ(json["model"]["merges"], Json::array({{"ab", "a"}, {"a", "b"}}));
  EXPECT_EQ(json["model"]["unk_token"], "<u>");
  EXPECT_EQ(json["model"]["byte_fallback"], true);
  EXPECT_EQ(json["added_tokens"].size(), 2);
  EXPECT_EQ(json["normalizer"]["normalizers"][0]["prepend"], "\u2581");
  EXPECT_EQ(json["post_processor"]["type"], "TemplateProcessing");
}

TEST(GgufImport, RopeScaling) {
  TinyGguf file = tiny_llama();
  file.set("llama.rope.scaling.type", text_value("linear"));
  file.set("llama.rope.scaling.factor", f32_value(4));
  EXPECT_EQ(imported(file).config()["rope_scaling"],
            Json({{"rope_type", "linear"}, {"factor", 4.0}}));
  file.set("llama.rope.scaling.type", text_value("yarn"));
  EXPECT_PRED2(has, refusal(file), "rope.scaling.type is \"yarn\"");
  file = tiny_llama();
  file.set("llama.rope.freq_base", f32_value(1e8f));
  file.tensors.push_back({"rope_freqs.weight", {2}, raw(1.f) + raw(8.f)});
  const Json scaling = imported(file).config()["rope_scaling"];
  EXPECT_EQ(scaling["rope_type"], "llama3");
  EXPECT_EQ(scaling["factor"], 8.0);
  EXPECT_EQ(scaling["original_max_position_embeddings"], 8192);
  file.tensors.back().data = raw(2.f) + raw(8.f);
  EXPECT_PRED2(has, refusal(file), "rope_freqs.weight[0] is 2");
}

TEST(GgufImport, RefusesWhatItDoesNotKnow) {
  TinyGguf file = tiny_llama();
  file.set("tokenizer.ggml.pre", text_value("x"));
  EXPECT_PRED2(has, refusal(file), "tokenizer.ggml.pre is 'x'; known are gpt-2 smollm");
  file.set("tokenizer.ggml.model", text_value("llama"));
  EXPECT_PRED2(has, refusal(file), "no list 'tokenizer.ggml.scores'");
  file.set("tokenizer.ggml.scores", f32_list_value({-1.f, -2.f}));
  EXPECT_PRED2(has, refusal(file), "6 tokens have 2 scores");
  file.set("tokenizer.ggml.model", text_value("t5"));
  EXPECT_PRED2(has, refusal(file), "tokenizer.ggml.model is \"t5\"; known are gpt2 and llama");
  file = tiny_llama();
  file.set("tokenizer.ggml.tokens", list_value({"<s>", "<u>", "a", "b", "ab", "\xff"}));
  EXPECT_PRED2(has, refusal(file), "not UTF-8");
  file = tiny_llama();
  file.set("general.architecture", text_value("mamba"));
  EXPECT_PRED2(has, refusal(file), "\"mamba\"; known are llama qwen2 qwen3 gemma3");
  for (const char* name : {"blk.1.attn_q.weight", "blk.x.attn_q.weight", "blk.0.attn_q.scale",
                           "blk.0.ffn_x.weight", "rope_freq", "blk.-1.attn_q.weight"}) {
    file = tiny_llama();
    file.tensors.push_back(counting(name, {8, 8}, 0));
    EXPECT_PRED2(has, refusal(file), fmt::format("'{}' has no known place", name));
  }
  file = tiny_llama();
  file.tensors[3] = counting("blk.0.attn_q.weight", {}, 0);
  EXPECT_PRED2(has, refusal(file), "is a scalar");
}

/// Against hashes of what transformers 5.18 and gguf 0.19 make of the same file.
TEST(GgufImport, SmolLmEqualsTransformers) {
  const auto models = environment("HONE_TEST_MODELS");
  const Path file = Path(models.value_or("")) / "SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!models || !std::filesystem::exists(file)) {
    GTEST_SKIP() << "HONE_TEST_MODELS names no folder with " << file.filename();
  }
  import_gguf(file, kFolder);
  const ModelFolder folder(kFolder);
  EXPECT_EQ(folder.config()["num_hidden_layers"], 30);
  EXPECT_EQ(tokenizer()["model"]["vocab"].size(), 49152);
  EXPECT_EQ(folder.weights()[0]->tensors().size(), 272);
  EXPECT_EQ(sha256_file(kFolder / "chat_template.jinja"),
            "872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788");
  const auto weights = folder.weights()[0];  // hashed in the order of the names
  std::map<std::string, std::string_view> sorted;
  for (const TensorView& view : weights->tensors()) {
    sorted[view.name] = {view.data, static_cast<size_t>(view.bytes)};
  }
  std::string bytes;
  for (const auto& [name, data] : sorted) bytes += data;
  EXPECT_EQ(sha256(bytes), "5d9bacfb6e704b2142088ab0e2548bc0de0a6b3a3179fcde6595ff2a6b30c1ec");
}

}  // namespace
}  // namespace hone::io
