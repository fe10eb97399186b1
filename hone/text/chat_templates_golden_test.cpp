#include <gtest/gtest.h>

#include <sstream>

#include "hone/base/check.h"
#include "hone/base/files.h"
#include "hone/text/chat_template.h"

/// What transformers renders with jinja2; see tools/golden/chat_templates.py.
namespace hone::text {
namespace {

const Path kData = Path(HONE_SOURCE_DIR) / "tests/golden/data";

/// The lines of the golden file: the first describes the inputs, the others are renderings.
std::vector<Json> read_lines() {
  std::vector<Json> lines;
  std::istringstream file(read_file(kData / "chat_templates.jsonl"));
  for (std::string line; std::getline(file, line);) {
    lines.push_back(parse_json(line, "chat_templates.jsonl"));
  }
  return lines;
}

/// What Hone renders, in the form of a golden line.
Json render(const std::string& source, const ChatInput& input) {
  try {
    const RenderedChat chat = ChatTemplate::parse(source).render(input);
    Json spans = Json::array();
    for (const ByteSpan& span : chat.assistant) spans.push_back({span.begin, span.end});
    return {{"text", chat.text}, {"assistant", spans}};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return {{"error", true}, {"message", error.what()}};
  }
}

void expect_equal(const Json& ours, const Json& golden, const std::string& what) {
  if (golden.contains("error")) {
    EXPECT_TRUE(ours.contains("error")) << what << "\nrenders as: " << ours.dump();
    return;
  }
  EXPECT_FALSE(ours.contains("error")) << what << "\nfails: " << ours.dump();
  if (ours.contains("error")) return;
  EXPECT_EQ(ours["text"], golden["text"]) << what;
  EXPECT_EQ(ours["assistant"], golden["assistant"]) << what;
}

ChatInput input_of(const Json& header, const std::string& conversation) {
  const Json& chat = header["conversations"][conversation];
  return {.messages = chat["messages"],
          .tools = chat["tools"],
          .add_generation_prompt = true,
          .variables = header["variables"],
          .now_seconds = header["now"].get<int64_t>()};
}

TEST(ChatTemplateGolden, ExpressionsAndStatementsRenderAsInTransformers) {
  const std::vector<Json> lines = read_lines();
  const ChatInput input = input_of(lines[0], "plain");
  int count = 0;
  for (const Json& line : lines) {
    if (!line.contains("source")) continue;
    ++count;
    const auto source = line["source"].get<std::string>();
    expect_equal(render(source, input), line, source);
  }
  EXPECT_GE(count, 450);
}

TEST(ChatTemplateGolden, WholeTemplatesRenderAsInTransformers) {
  const std::vector<Json> lines = read_lines();
  int count = 0;
  for (const Json& line : lines) {
    if (!line.contains("file")) continue;
    ++count;
    const auto file = line["file"].get<std::string>(), chat = line["chat"].get<std::string>();
    ChatInput input = input_of(lines[0], chat);
    input.add_generation_prompt = line["prompt"].get<bool>();
    input.variables = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
    const std::string source = read_file(kData / "chat_templates" / file);
    expect_equal(render(source, input), line, file + " with " + chat);
  }
  EXPECT_GE(count, 300);
}

}  // namespace
}  // namespace hone::text
