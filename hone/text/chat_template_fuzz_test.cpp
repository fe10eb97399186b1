#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "hone/base/check.h"
#include "hone/base/files.h"
#include "hone/text/chat_template.h"

/// Random and randomly changed templates never crash and always end: with text or an input error.
namespace hone::text {
namespace {

const Path kData = Path(HONE_SOURCE_DIR) / "tests/golden/data";

std::vector<std::string> read_templates() {
  std::vector<std::string> sources;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "chat_templates")) {
    sources.push_back(read_file(entry.path()));
  }
  std::sort(sources.begin(), sources.end());
  std::istringstream lines(read_file(kData / "chat_templates.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json golden = parse_json(line, "chat_templates.jsonl");
    if (golden.contains("source")) sources.push_back(golden["source"].get<std::string>());
  }
  return sources;
}

constexpr const char* kParts[] = {"{%",
                                  "%}",
                                  "{{",
                                  "}}",
                                  "{#",
                                  "#}",
                                  "-%}",
                                  "{%-",
                                  "\n",
                                  " ",
                                  "'",
                                  "\"",
                                  "(",
                                  ")",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  "|",
                                  ".",
                                  ",",
                                  "=",
                                  ":",
                                  "~",
                                  "**",
                                  "not ",
                                  " in ",
                                  " is ",
                                  " if ",
                                  " else ",
                                  "{% for x in ",
                                  "{% endfor %}",
                                  "{% if ",
                                  "{% endif %}",
                                  "{% set x = ",
                                  "{% macro m(a) %}",
                                  "{% endmacro %}",
                                  "{% generation %}",
                                  "{% endgeneration %}",
                                  "{% raw %}",
                                  "{% endraw %}",
                                  "x",
                                  "messages",
                                  "loop",
                                  "1",
                                  "-1",
                                  "99999999",
                                  "'%s'",
                                  "'é'",
                                  "\xff",
                                  "tojson",
                                  "join",
                                  "map('upper')",
                                  "split",
                                  "[::-1]",
                                  "range(3)",
                                  "namespace(a=1)",
                                  "m(x)",
                                  "caller()",
                                  "{% break %}",
                                  "sort",
                                  "format",
                                  "\\",
                                  "\\u12"};

/// The checks that every rendering must pass.
void expect_ends(const std::string& source, const ChatInput& input) {
  try {
    const RenderedChat chat = ChatTemplate::parse(source).render(input);
    for (const auto& spans : {chat.assistant, chat.untrusted}) {
      int64_t last = -1;
      for (const ByteSpan& span : spans) {
        EXPECT_LT(last, span.begin);
        EXPECT_LT(span.begin, span.end);
        last = span.end;
      }
      EXPECT_LE(last, static_cast<int64_t>(chat.text.size()));
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << source;
    EXPECT_NE(std::string(error.what()).find("chat template"), std::string::npos) << error.what();
  }
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  size_t below(size_t count) { return static_cast<size_t>(random_() % count); }
  std::string part() { return kParts[below(std::size(kParts))]; }

  std::string from_parts() {
    std::string source;
    for (size_t i = below(16); i > 0; --i) source += part();
    return source;
  }

  std::string changed(std::string source, const std::string& other) {
    for (size_t i = 1 + below(4); i > 0; --i) {
      const size_t at = below(source.size() + 1), size = below(30), kind = below(4);
      if (kind == 0) source.erase(at, size);
      if (kind == 1) source.insert(at, part());
      if (kind == 2) source.replace(at, size, part());
      if (kind == 3) source.insert(at, other.substr(below(other.size() + 1), below(60)));
    }
    return source;
  }

 private:
  std::mt19937_64 random_;
};

TEST(ChatTemplateFuzz, RandomPartsEnd) {
  Mutator mutator(1);
  const ChatInput input{.messages = Json::parse(R"([{"role": "user", "content": "é<|x|>"}])")};
  for (int i = 0; i < 20000; ++i) expect_ends(mutator.from_parts(), input);
}

TEST(ChatTemplateFuzz, ChangedTemplatesEnd) {
  const std::vector<std::string> sources = read_templates();
  ASSERT_GT(sources.size(), 400u);
  Mutator mutator(2);
  const ChatInput input{
      .messages = Json::parse(R"([{"role": "system", "content": "s"},
                                  {"role": "user", "content": "é<|x|>"},
                                  {"role": "assistant", "content": null, "tool_calls": [
                                    {"id": "a", "function": {"name": "f", "arguments": {}}}]}])"),
      .tools = Json::parse(R"([{"function": {"name": "f", "parameters": {"properties": {}}}}])"),
      .add_generation_prompt = true,
      .variables = Json::parse(R"({"bos_token": "<s>", "x_list": [1, 2, 3], "x_str": "abc"})")};
  for (int i = 0; i < 20000; ++i) {
    const std::string& source = sources[mutator.below(sources.size())];
    expect_ends(mutator.changed(source, sources[mutator.below(sources.size())]), input);
  }
}

}  // namespace
}  // namespace hone::text
