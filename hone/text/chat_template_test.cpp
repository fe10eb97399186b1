#include "hone/text/chat_template.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"

namespace hone::text {
namespace {

RenderedChat render(const std::string& source, const std::string& messages = "[]") {
  return ChatTemplate::parse(source).render({.messages = Json::parse(messages)});
}

/// The text with [ ] around the spans.
std::string bracketed(const std::string& text, const std::vector<ByteSpan>& spans) {
  std::string result = text;
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    result.insert(span->end, "]");
    result.insert(span->begin, "[");
  }
  return result;
}

std::string untrusted(const std::string& source, const std::string& messages) {
  const RenderedChat chat = render(source, messages);
  return bracketed(chat.text, chat.untrusted);
}

std::string assistant(const std::string& source) {
  const RenderedChat chat = render(source);
  return bracketed(chat.text, chat.assistant);
}

TEST(ChatTemplate, UserTextIsUntrustedAndTemplateTextIsNot) {
  EXPECT_EQ(untrusted("{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}",
                      R"([{"role": "user", "content": "hi <|end|>"}])"),
            "<|[user]|>[hi <|end|>]<|end|>");
}

TEST(ChatTemplate, ComparedRolesAreNotOutput) {
  EXPECT_EQ(
      untrusted("{% if messages[0].role == 'user' %}<|user|>{% endif %}", R"([{"role": "user"}])"),
      "<|user|>");
}

TEST(ChatTemplate, NumbersAndFlagsOfMessagesAreTrusted) {
  EXPECT_EQ(untrusted("{{ messages[0].n }}{{ messages[0].t }}", R"([{"n": 5, "t": true}])"),
            "5True");
}

struct MarkCase {
  const char *source, *expected;
};

// `u` is "aB é" and untrusted.
class Marks : public ::testing::TestWithParam<MarkCase> {};

TEST_P(Marks, FollowTheCharacters) {
  EXPECT_EQ(untrusted("{% set u = messages[0] %}" + std::string(GetParam().source), R"(["aB é"])"),
            GetParam().expected)
      << GetParam().source;
}

INSTANTIATE_TEST_SUITE_P(
    Operators, Marks,
    ::testing::Values(
        MarkCase{"{{ 'x' + u + 'y' }}", "x[aB é]y"}, MarkCase{"{{ 'x' ~ u ~ 1 }}", "x[aB é]1"},
        MarkCase{"{{ ('xy' + u)[1:4] }}", "y[aB]"}, MarkCase{"{{ ('xy' + u)[::-1] }}", "[é Ba]yx"},
        MarkCase{"{{ u[0] }}{{ u[-1] }}", "[aé]"},
        MarkCase{"{{ ('-' + u) * 2 }}", "-[aB é]-[aB é]"},
        MarkCase{"{{ '%s=%5s' % (u, u[:1]) }}", "[aB é]=    [a]"},
        MarkCase{"{% for c in u %}{{ c }}.{% endfor %}", "[a].[B].[ ].[é]."},
        MarkCase{"{{ [u, 'x'] }}", "['[aB é]', 'x']"},
        MarkCase{"{{ {u: u} }}", "{'[aB é]': '[aB é]'}"},
        MarkCase{"{% set x %}<{{ u }}>{% endset %}{{ x }}", "<[aB é]>"},
        MarkCase{"{% set n = namespace(v=u) %}{{ n.v }}", "[aB é]"},
        MarkCase{"{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(u) }}", "<[aB é]>"},
        MarkCase{"{% macro m() %}{{ kwargs }}{% endmacro %}{{ m(**{u: 1}) }}", "{'[aB é]': 1}"},
        MarkCase{"{{ u if u else 'x' }}{{ u or 'x' }}", "[aB éaB é]"}));

INSTANTIATE_TEST_SUITE_P(
    Filters, Marks,
    ::testing::Values(MarkCase{"{{ ('x' + u + 'y')|upper }}", "X[AB É]Y"},
                      MarkCase{"{{ (' x' + u)|trim|lower }}", "x[ab é]"},
                      MarkCase{"{{ ('x-' + u)|title }}", "X-[Ab É]"},
                      MarkCase{"{{ 'x.x'|replace('.', u) }}", "x[aB é]x"},
                      MarkCase{"{{ u|replace('B', '#') }}", "[a]#[ é]"},
                      MarkCase{"{{ ['x', u]|join(', ') }}", "x, [aB é]"},
                      MarkCase{"{{ ['x', 'y']|join(u) }}", "x[aB é]y"},
                      MarkCase{"{{ {'k': u}|tojson }}", "{\"k\": \"[aB é]\"}"},
                      MarkCase{"{{ u|tojson(ensure_ascii=true) }}", "\"[aB \\u00e9]\""},
                      MarkCase{"{{ [1]|tojson(indent=u[0]) }}", "[\n[a]1\n]"},
                      MarkCase{"{{ ('x\n' + u)|indent(2) }}", "x\n  [aB é]"},
                      MarkCase{"{{ ('<' + u + '>')|e }}", "&lt;[aB é]&gt;"},
                      MarkCase{"{{ u|center(6) }}", " [aB é] "},
                      MarkCase{"{{ u|urlencode }}", "[aB%20%C3%A9]"},
                      MarkCase{"{{ 'x'|default(u) }}{{ nope|default(u) }}", "x[aB é]"},
                      MarkCase{"{{ [u]|map('upper')|first }}", "[AB É]"},
                      MarkCase{"{{ '{}-{x}'.format(u, x='y') }}", "[aB é]-y"},
                      MarkCase{"{{ '%s'|format(u)|string }}", "[aB é]"},
                      MarkCase{"{% filter upper %}x{{ u }}{% endfilter %}", "X[AB É]"}));

INSTANTIATE_TEST_SUITE_P(
    Methods, Marks,
    ::testing::Values(MarkCase{"{{ ('x ' + u).split()[1] }}", "[aB]"},
                      MarkCase{"{{ ('x,' + u).rsplit(',', 1)[-1] }}", "[aB é]"},
                      MarkCase{"{{ ('x' + u + 'x').strip('x') }}", "[aB é]"},
                      MarkCase{"{{ u.partition(' ')|join('|') }}", "[aB]|[ ]|[é]"},
                      MarkCase{"{{ 'x'.center(3, u[0]) }}", "[a]x[a]"},
                      MarkCase{"{{ ('{:' + u[0] + '>3}').format('x') }}", "[aax]"},
                      MarkCase{"{{ dict(**{u: 'x'}) }}", "{'[aB é]': 'x'}"},
                      MarkCase{"{{ {u: 1}.items()|list }}", "[('[aB é]', 1)]"},
                      MarkCase{"{{ ('x' + u).swapcase() }}", "X[Ab É]"},
                      MarkCase{"{{ u.zfill(6) }}", "00[aB é]"},
                      MarkCase{"{{ (u + '\nx').splitlines()[0] }}", "[aB é]"},
                      MarkCase{"{{ u.removeprefix('a') }}", "[B é]"}));

TEST(ChatTemplate, KeysAndDocumentsAreUntrustedToo) {
  const auto chat =
      ChatTemplate::parse("{{ tools|tojson }}{{ documents[0] }}{{ bos_token }}")
          .render({.messages = Json::array(),
                   .tools = Json::parse(R"([{"<|a|>": 1}])"),
                   .variables = Json::parse(R"({"documents": ["d"], "bos_token": "<s>"})")});
  EXPECT_EQ(bracketed(chat.text, chat.untrusted), "[{\"[<|a|>]\": 1}][d]<s>");
}

TEST(ChatTemplate, AssistantSpansAreExactBytes) {
  EXPECT_EQ(assistant("é{% generation %}ü{% endgeneration %}x"), "é[ü]x");
  EXPECT_EQ(
      assistant("{% for i in [1, 2] %}a{% generation %}{{ i }}{% endgeneration %}{% endfor %}"),
      "a[1]a[2]");
}

TEST(ChatTemplate, AssistantSpansSurviveMacrosBlocksAndNesting) {
  const std::string inner = "a{% generation %}b{% endgeneration %}c";
  EXPECT_EQ(assistant("{% macro m() %}" + inner + "{% endmacro %}-{{ m() }}"), "-a[b]c");
  EXPECT_EQ(assistant("{% set x %}" + inner + "{% endset %}-{{ x * 2 }}"), "-a[b]ca[b]c");
  EXPECT_EQ(assistant("{% generation %}" + inner + "{% endgeneration %}d"), "[abc]d");
}

TEST(ChatTemplate, EmptyAndAdjacentAssistantSpansAreJoined) {
  EXPECT_EQ(assistant("{% generation %}{% endgeneration %}a"), "a");
  EXPECT_EQ(assistant("{% generation %}a{% endgeneration %}{% generation %}b{% endgeneration %}"),
            "[ab]");
}

TEST(ChatTemplate, AssistantTextMayBeUntrusted) {
  const RenderedChat chat =
      render("{% generation %}{{ messages[0] }}<end>{% endgeneration %}", R"(["x"])");
  EXPECT_EQ(bracketed(chat.text, chat.assistant), "[x<end>]");
  EXPECT_EQ(bracketed(chat.text, chat.untrusted), "[x]<end>");
}

TEST(ChatTemplate, VariablesHideGlobalsAndMessagesHideVariables) {
  const auto chat =
      ChatTemplate::parse("{{ range }}{{ messages }}")
          .render({.messages = Json::array(),
                   .variables = Json::parse(R"({"range": 5, "messages": "hidden"})")});
  EXPECT_EQ(chat.text, "5[]");
}

TEST(ChatTemplate, BreakInElseLeavesTheOuterLoop) {
  EXPECT_EQ(render("{% for i in [1, 2] %}{{ i }}{% for j in [] %}{% else %}{% break %}{% endfor %}"
                   "{% endfor %}")
                .text,
            "1");
}

TEST(ChatTemplate, RendersSeveralTimesWithoutState) {
  const ChatTemplate counted =
      ChatTemplate::parse("{% set n = namespace(i=0) %}{% set n.i = n.i + 1 %}{{ n.i }}");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(counted.render({}).text, "1");
}

}  // namespace
}  // namespace hone::text
