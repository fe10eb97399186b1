#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/text/chat_template.h"

namespace hone::text {
namespace {

std::string error_of(const std::string& source, const ChatInput& input = {}) {
  try {
    ChatTemplate::parse(source).render(input);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

struct ErrorCase {
  const char *source, *part;
};

class ChatTemplateError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ChatTemplateError, SaysWhereAndWhat) {
  const std::string error = error_of(GetParam().source);
  EXPECT_NE(error.find(GetParam().part), std::string::npos) << GetParam().source << "\n" << error;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ChatTemplateError,
    ::testing::Values(
        ErrorCase{"a\n  {% if %}", "line 2, column 9: expected an expression, but got '%}'"},
        ErrorCase{"{% if x %}\n", "expected 'elif' or 'else' or 'endif', but got the end"},
        ErrorCase{"\n\n{# é", "line 3, column 1: this comment has no end"},
        ErrorCase{"{% raw %}", "this raw block has no end"},
        ErrorCase{"é{{ 'x }}", "line 1, column 5: this string has no end"},
        ErrorCase{"{{ (1] }}", "line 1, column 6: this bracket was not opened"},
        ErrorCase{"{{ ? }}", "this character is unexpected"},
        ErrorCase{"{% nosuch %}", "line 1, column 4: expected a known tag, but got 'nosuch'"},
        ErrorCase{"{% include 'x' %}", "expected a known tag, but got 'include'"},
        ErrorCase{"{{ x\n|nosuch }}", "line 2, column 2: no filter or test is named 'nosuch'"},
        ErrorCase{"{{ x is nosuch }}", "no filter or test is named 'nosuch'"},
        ErrorCase{"{% break %}", "'break' stands outside of a loop"},
        ErrorCase{"{% for a in b %}{% set loop = 1 %}{% endfor %}", "'loop' cannot be assigned"},
        ErrorCase{"{% set none = 1 %}", "'none' cannot be assigned to"},
        ErrorCase{"{% call 5 %}{% endcall %}", "'call' needs the call of a macro"},
        ErrorCase{"{% macro m(a=1, b) %}{% endmacro %}", "a parameter without a default"},
        ErrorCase{"{{ f(a=1, 2) }}", "positional arguments must come first"},
        ErrorCase{"{{ '\\x4' }}", "wrong \\x, \\u or \\U escape"},
        ErrorCase{"{{ 99999999999999999999 }}", "beyond 64 bits"}, ErrorCase{"\xff", "not UTF-8"}));

INSTANTIATE_TEST_SUITE_P(
    Running, ChatTemplateError,
    ::testing::Values(
        ErrorCase{"\n{{ nope.x }}", "chat template, line 2: 'nope' is undefined"},
        ErrorCase{"{{ {}.a.b }}", "'dict object' has no attribute 'a'"},
        ErrorCase{"{{ raise_exception('no ' ~ 'system') }}", "line 1: no system"},
        ErrorCase{"{{ [].append(1) }}", "'append' would change a list, which templates may not"},
        ErrorCase{"{{ 1 + 'a' }}", "unsupported operand types for +: 'int' and 'str'"},
        ErrorCase{"{{ 1 < 'a' }}", "'<' is not supported between 'int' and 'str'"},
        ErrorCase{"{{ 1 // 0 }}", "integer division or modulo by zero"},
        ErrorCase{"{{ 5|list }}", "'int' object is not iterable"},
        ErrorCase{"{{ 5() }}", "'int' object is not callable"},
        ErrorCase{"{{ 'a'|replace('b') }}", "replace() lacks its argument 3 'new'"},
        ErrorCase{"{{ 'a'|trim(wrong=1) }}", "trim() takes no argument named 'wrong'"},
        ErrorCase{"{{ 'a'.upper(1) }}", "upper() takes at most 1 arguments, but got 2"},
        ErrorCase{"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "macro 'm' takes at most 1"},
        ErrorCase{"{% macro m(a) %}{% endmacro %}{{ m(b=2) }}", "takes no argument named 'b'"},
        ErrorCase{"{% set a.b = 1 %}", "cannot assign 'b' of 'a', which is no namespace"},
        ErrorCase{"{% set a, b = [1] %}", "1 values cannot be assigned to 2 names"},
        ErrorCase{"{{ {[]: 1} }}", "unhashable type: 'list'"},
        ErrorCase{"{{ '%d' % 'a' }}", "%d needs a number, but got 'str'"},
        ErrorCase{"{{ '{'.format() }}", "a format lacks its '}'"},
        ErrorCase{"{{ nope|tojson }}", "a value of type 'Undefined' has no JSON form"},
        ErrorCase{"a\n{% for i in [1] %}\n{{ i.x.y }}{% endfor %}", "line 3: "}));

INSTANTIATE_TEST_SUITE_P(
    Limits, ChatTemplateError,
    ::testing::Values(
        ErrorCase{"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                  "more than 5000000 steps"},
        ErrorCase{"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "nested deeper than 1500"},
        ErrorCase{"{{ 'a' * 99999999999 }}", "beyond the limit of 64 MiB"},
        ErrorCase{"{{ [1] * 99999999 }}", "more than 1000000 elements"},
        ErrorCase{"{{ 'a'.center(99999999999) }}", "too large"},
        ErrorCase{"{{ '%99999999d' % 1 }}", "beyond 1000000"},
        ErrorCase{"{{ range(999999999) }}", "at most 100000 elements"},
        ErrorCase{"{{ 2 ** 64 }}", "more than 64 bits"},
        ErrorCase{"{% set n = namespace(x=[]) %}{% for i in range(999) %}{% set n.x = [n.x] %}"
                  "{% endfor %}",
                  "nested deeper than 200"},
        ErrorCase{"{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = [n.x, n.x] %}"
                  "{% endfor %}",
                  "more than 8000000 parts"},
        ErrorCase{"{% set n = namespace(x='aa') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}"
                  "{% endfor %}",
                  "beyond the limit of 64 MiB"}));

TEST(ChatTemplateErrors, DeepSourcesAreRefused) {
  for (const char* open : {"(", "[", "{1:", "not ", "-", "'a' ~ (", "f("}) {
    std::string source = "{{ ";
    for (int i = 0; i < 5000; ++i) source += open;
    EXPECT_NE(error_of(source).find("nested deeper than 200"), std::string::npos) << open;
  }
  std::string blocks, sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) {
    blocks += "{% if 1 %}";
    sum += "+1";
  }
  EXPECT_NE(error_of(blocks).find("nested deeper than 200"), std::string::npos);
  EXPECT_NE(error_of(sum + " }}").find("nested deeper than 200"), std::string::npos);
}

TEST(ChatTemplateErrors, WrongInputsAreRefused) {
  Json deep = 1;
  for (int i = 0; i < 300; ++i) deep = Json::array({deep});
  EXPECT_NE(error_of("", {.messages = deep}).find("nested deeper than 200"), std::string::npos);
  EXPECT_NE(error_of("", {.messages = "\xff"}).find("not UTF-8"), std::string::npos);
  EXPECT_NE(error_of("", {.messages = UINT64_MAX}).find("larger than 64"), std::string::npos);
  EXPECT_NE(error_of("", {.variables = 5}).find("must be an object"), std::string::npos);
}

}  // namespace
}  // namespace hone::text
