#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/engine/generate_lines.h"

namespace hone::engine {

TEST(GenerateLinesError, EachBadLineSaysWhereAndWhat) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[1]", "must be a JSON object"},
      {"{}", "exactly one of prompt"},
      {R"({"prompt": "a", "messages": []})", "exactly one of prompt"},
      {R"({"prompt": 3})", "prompt must be a string"},
      {R"({"messages": "hi"})", "messages must be a list"},
      {R"({"prompt_token_ids": []})", "prompt_token_ids"},
      {R"({"prompt_token_ids": [1, -1]})", "prompt_token_ids"},
      {R"({"prompt_token_ids": [3000000000]})", "prompt_token_ids"},
      {R"({"prompt": "a", "samples": 0})", "samples"},
      {R"({"prompt": "a", "sampling": 3})", "must be an object"},
      {R"({"prompt": "a", "sampling": {"temprature": 1}})", "'temprature' is no sampling option"},
      {R"({"prompt": "a", "sampling": {"temperature": "1"}})", "temperature must be a number"},
      {R"({"prompt": "a", "sampling": {"top_k": 1.5}})", "top_k must be a whole number"},
      {R"({"prompt": "a", "sampling": {"top_k": 3000000000}})", "top_k must be a whole number"},
      {R"({"prompt": "a", "sampling": {"seed": -1}})", "seed must be a whole number"},
      {R"({"prompt": "a", "sampling": {"stop": [1]}})", "stop must be a string or a list"},
      {R"({"prompt": "a", "sampling": {"stop_token_ids": 1}})", "a list of token ids"},
      {R"({"prompt": "a", "sampling": {"ignore_eos": 1}})", "ignore_eos must be true or false"},
      {R"({"prompt": "a", "sampling": {"top_p": 2}})", "top_p"},
  };
  for (const auto& [line, part] : cases) {
    try {
      parse_generate_line(line, "p.jsonl line 3", {});
      ADD_FAILURE() << line << " was accepted";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(what.find(part), std::string::npos) << what;
      EXPECT_TRUE(what.starts_with("p.jsonl line 3")) << what;
    }
  }
}

}  // namespace hone::engine
