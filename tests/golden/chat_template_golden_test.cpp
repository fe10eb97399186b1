#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/base/files.h"
#include "hone/text/chat_template.h"

/// Renderings against jinja2 as transformers configures it; see tools/golden/chat_template.py.
namespace hone::text {
namespace {

/// Byte offset of a character offset.
int64_t byte_of(const std::string& text, int64_t character) {
  int64_t byte = 0;
  for (; character > 0; --character) {
    do {
      ++byte;
    } while (byte < static_cast<int64_t>(text.size()) && (text[byte] & 0xC0) == 0x80);
  }
  return byte;
}

TEST(ChatTemplateGolden, EveryCaseRendersAsInTransformers) {
  const Path path = Path(HONE_SOURCE_DIR) / "tests/golden/data/chat_template.json";
  const Json golden = parse_json(read_file(path), "chat_template.json");
  ChatInput input{.messages = golden["messages"],
                  .tools = golden["tools"],
                  .add_generation_prompt = true,
                  .variables = {{"bos_token", "<s>"}}};
  for (const auto& expected : golden["cases"]) {
    const auto source = expected["template"].get<std::string>();
    if (expected.contains("error")) {
      EXPECT_THROW(ChatTemplate::parse(source).render(input), Error) << source;
      continue;
    }
    try {
      const RenderedChat chat = ChatTemplate::parse(source).render(input);
      EXPECT_EQ(chat.text, expected["text"].get<std::string>()) << source;
      ASSERT_EQ(chat.assistant.size(), expected["spans"].size()) << source;
      for (size_t i = 0; i < chat.assistant.size(); ++i) {
        EXPECT_EQ(chat.assistant[i].begin, byte_of(chat.text, expected["spans"][i][0])) << source;
        EXPECT_EQ(chat.assistant[i].end, byte_of(chat.text, expected["spans"][i][1])) << source;
      }
    } catch (const Error& error) {
      ADD_FAILURE() << source << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace hone::text
