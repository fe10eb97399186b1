#include "hone/engine/generate_lines.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::engine {
namespace {

Sequence finished_sequence() {
  Sequence sequence;
  sequence.sample_index = 2;
  sequence.token_ids = {10, 11, 12, 13};
  sequence.prompt_count = 2;
  sequence.log_probs = {-0.1f, -std::numeric_limits<float>::min()};
  sequence.raw_log_probs = {-1.0f / 3, -12.5f};
  sequence.epochs = {4, 5};
  sequence.finish_reason = FinishReason::length;
  return sequence;
}

}  // namespace

TEST(GenerateLines, ALineIsReadOverTheDefaults) {
  const GenerateLine line = parse_generate_line(
      R"({"id": 7, "prompt": "2+2=", "samples": 4, "answer": "4",
          "sampling": {"temperature": 0.5, "stop": "\n", "seed": 18446744073709551615}})",
      "x", {.top_k = 20});
  EXPECT_EQ(line.id, 7);
  EXPECT_EQ(line.prompt, "2+2=");
  EXPECT_EQ(line.samples, 4);
  EXPECT_EQ(line.params.temperature, 0.5f);
  EXPECT_EQ(line.params.top_k, 20);
  EXPECT_EQ(line.params.stop, (std::vector<std::string>{"\n"}));
  EXPECT_EQ(line.params.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(line.columns, Json({{"answer", "4"}}));
}

TEST(GenerateLines, PromptsComeInThreeForms) {
  EXPECT_EQ(parse_generate_line(R"({"prompt_token_ids": [1, 2]})", "x", {}).prompt_token_ids,
            (std::vector<int32_t>{1, 2}));
  const auto chat = parse_generate_line(
      R"({"messages": [{"role": "user", "content": "hi"}], "tools": []})", "x", {});
  EXPECT_EQ(chat.messages[0]["content"], "hi");
  EXPECT_TRUE(chat.tools.is_array());
}

TEST(GenerateLines, TheOutputKeepsIdAndColumns) {
  const GenerateLine line =
      parse_generate_line(R"({"id": "a", "prompt": "p", "answer": 4, "text": "old"})", "x", {});
  EXPECT_EQ(print_generate_line(line, finished_sequence(), "so \"4\"", {}),
            R"({"id":"a","sample":2,"text":"so \"4\"","finish_reason":"length",)"
            R"("prompt_tokens":2,"output_tokens":2,"answer":4})");
}

TEST(GenerateLines, LogProbsReadBackWithTheSameBits) {
  const GenerateLine line = parse_generate_line(R"({"prompt": "p"})", "x", {});
  const Sequence sequence = finished_sequence();
  const Json read =
      parse_json(print_generate_line(line, sequence, "",
                                     {.token_ids = true, .log_probs = true, .epochs = true}),
                 "line");
  EXPECT_EQ(read["token_ids"], (std::vector<int32_t>{12, 13}));
  EXPECT_EQ(read["log_probs"].get<std::vector<float>>(), sequence.log_probs);
  EXPECT_EQ(read["raw_log_probs"].get<std::vector<float>>(), sequence.raw_log_probs);
  EXPECT_EQ(read["epochs"], (std::vector<uint64_t>{4, 5}));
}

}  // namespace hone::engine
