#include "hone/text/chat_template.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"

namespace hone::text {
namespace {

std::string render(const std::string& source, Json messages = Json::array()) {
  return ChatTemplate::parse(source).render({.messages = std::move(messages)}).text;
}

TEST(ChatTemplate, ValuesPrintAsPythonPrintsThem) {
  EXPECT_EQ(render("{{ true }} {{ none }} {{ 1.0 }} {{ [1, 'a', none] }} {{ {'k': 'v'} }}"),
            "True None 1.0 [1, 'a', None] {'k': 'v'}");
  EXPECT_EQ(render("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }}"),
            "3 -4 2 3.5 8");
  EXPECT_EQ(
      render("{{ 'abc'[::-1] }} {{ 'abc'[-2:] }} {{ [1,2,3][1:]|length }} {{ 'é' | length }}"),
      "cba bc 2 1");
}

TEST(ChatTemplate, WhiteSpaceIsHandledAsTransformersDoes) {
  EXPECT_EQ(render("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\nb\nc");
  EXPECT_EQ(render("a {%- if true -%} b {%- endif %} c"), "ab c");
  EXPECT_EQ(render("{# note #}\nx"), "x");
}

TEST(ChatTemplate, LoopsNamespacesAndMacrosWork) {
  EXPECT_EQ(render("{% set ns = namespace(n=0) %}{% for i in range(4) %}{% if i == 2 %}{% continue "
                   "%}{% endif %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}"),
            "4");
  EXPECT_EQ(
      render("{% macro f(a, b='x') %}[{{ a }}{{ b }}]{% endmacro %}{{ f(1) }}{{ f(2, b=3) }}"),
      "[1x][23]");
  EXPECT_EQ(
      render("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}{{ v }}{{ ',' if not loop.last "
             "}}{% endfor %}"),
      "a1,b2");
}

TEST(ChatTemplate, AssistantAndUntrustedSpansAreExact) {
  const auto chat =
      ChatTemplate::parse(
          "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}{% generation %}{{ "
          "m.content }}<|end|>{% endgeneration %}{% else %}{{ m.content|trim }}<|end|>{% endif %}"
          "{% endfor %}")
          .render({.messages = Json::parse(
                       R"([{"role": "user", "content": " hi "},
                           {"role": "assistant", "content": "yo"}])")});
  EXPECT_EQ(chat.text, "<|user|>hi<|end|><|assistant|>yo<|end|>");
  ASSERT_EQ(chat.assistant.size(), 1u);
  EXPECT_EQ(
      chat.text.substr(chat.assistant[0].begin, chat.assistant[0].end - chat.assistant[0].begin),
      "yo<|end|>");
  std::string untrusted;
  for (const auto& span : chat.untrusted) {
    untrusted += chat.text.substr(span.begin, span.end - span.begin) + "|";
  }
  EXPECT_EQ(untrusted, "user|hi|assistant|yo|");
}

TEST(ChatTemplate, ErrorsNameTheLine) {
  const auto message = [](const std::string& source) {
    try {
      render(source);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("a\n{% if %}").find("line 2"), std::string::npos);
  EXPECT_NE(message("a\n\n{{ x|nope }}").find("line 3"), std::string::npos);
  EXPECT_NE(message("{{ raise_exception('no system role') }}").find("no system role"),
            std::string::npos);
  EXPECT_NE(
      message("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
          .find("steps"),
      std::string::npos);
}

}  // namespace
}  // namespace hone::text
