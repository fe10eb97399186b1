#include "hone/data/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/base/check.h"

namespace hone::data {
namespace {

/// A file in the temporary folder of the test.
Path file_of(const std::string& text) {
  const Path path =
      Path(testing::TempDir()) / fmt::format("hone_sources_{}", ::getpid()) / "data.jsonl";
  write_file(path, text);
  return path;
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find("data.jsonl") == text.npos ? 0 : text.find("data.jsonl"));
  }
  return "no error";
}

}  // namespace

TEST(LoadPrompts, ReadsStringsNumbersAndMetadata) {
  const auto prompts = load_prompts({file_of(R"({"prompt": "2 + 3?", "answer": 5, "level": 1}

{"prompt": [{"role": "user", "content": "é?"}], "answer": " x ", "metadata": {"task": "t"}}
{"prompt": "q", "answer": 0.5})")});
  ASSERT_EQ(prompts.size(), 3u);
  EXPECT_EQ(prompts[0].messages.dump(), R"([{"role":"user","content":"2 + 3?"}])");
  EXPECT_EQ(prompts[0].answer, "5");
  EXPECT_EQ(prompts[0].metadata.dump(), R"({"level":1})");
  EXPECT_EQ(prompts[1].messages[0]["content"], "é?");
  EXPECT_EQ(prompts[1].answer, "x");
  EXPECT_EQ(prompts[1].metadata.dump(), R"({"task":"t"})");
  EXPECT_EQ(prompts[2].answer, "0.5");
}

TEST(LoadPrompts, ReadsGsm8kWithASystemMessage) {
  PromptOptions options{
      file_of(R"({"question": "How many?", "answer": "2*9=18 #### 18\n#### 1,018"})")};
  options.question_field = "question";
  options.answer_marker = "####";
  options.system = "Be brief.";
  const auto prompts = load_prompts(options);
  EXPECT_EQ(prompts[0].answer, "1,018");
  EXPECT_EQ(prompts[0].messages[0]["role"], "system");
  EXPECT_EQ(prompts[0].messages[1]["content"], "How many?");
  EXPECT_TRUE(prompts[0].metadata.empty());
}

TEST(LoadPrompts, ErrorsNameFileAndLine) {
  const auto error = [](const std::string& text, const std::string& marker = "") {
    PromptOptions options{file_of(text)};
    options.answer_marker = marker;
    return error_of([&] { load_prompts(options); });
  };
  EXPECT_EQ(error("{\"prompt\": \"a\", \"answer\": 1}\n{oops").rfind("data.jsonl:2: not valid", 0),
            0u);
  EXPECT_EQ(error("[1]"), "data.jsonl:1: must be a JSON object, came array");
  EXPECT_EQ(error(R"({"question": "a", "answer": "b"})"),
            "data.jsonl:1: no field 'prompt'; the fields are: question, answer");
  EXPECT_EQ(error(R"({"prompt": "a", "answer": null})"),
            "data.jsonl:1: field 'answer' must be a string or a number, came null");
  EXPECT_EQ(error(R"({"prompt": "a", "answer": "b"})", "####"),
            "data.jsonl:1: field 'answer' holds no marker '####'");
  EXPECT_EQ(error(R"({"prompt": [{"content": "a"}], "answer": "b"})"),
            "data.jsonl:1: prompt[0] must be an object with a string 'role'");
  EXPECT_EQ(error("\n"), "data.jsonl: holds no prompt");
}

TEST(LoadConversations, ReadsMessagesAndPromptCompletion) {
  const auto all = load_conversations(file_of(
      R"({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
{"prompt": "a", "completion": "b", "tools": [{"type": "function"}]}
{"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}],)"
      R"( "completion": [{"role": "assistant", "content": "b"}]})"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].messages, all[1].messages);
  EXPECT_EQ(all[0].learn_from, 0);
  EXPECT_EQ(all[1].learn_from, 1);
  EXPECT_EQ(all[1].tools[0]["type"], "function");
  EXPECT_EQ(all[2].learn_from, 2);
  EXPECT_EQ(all[2].messages.size(), 3u);
}

TEST(LoadConversations, ErrorsNameFileAndLine) {
  const auto error = [](const std::string& text) {
    return error_of([&] { load_conversations(file_of(text)); });
  };
  EXPECT_EQ(error(R"({"prompt": "a"})"),
            "data.jsonl:1: needs 'messages', or 'prompt' and 'completion'");
  EXPECT_EQ(error(R"({"messages": [{"role": "user", "content": "a"}]})"),
            "data.jsonl:1: holds no assistant message to learn from");
  EXPECT_EQ(error(R"({"messages": []})"),
            "data.jsonl:1: field 'messages' must be a list of messages, came an empty list");
  EXPECT_EQ(error(R"({"messages": [{"role": "user", "content": 1}]})"),
            "data.jsonl:1: messages[0].content must be a string, a list or null, came number");
  EXPECT_THROW(load_conversations("no such file"), Error);
}

}  // namespace hone::data
