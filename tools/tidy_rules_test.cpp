#include "tidy_rules.h"

#include <gtest/gtest.h>

namespace hone::tidy {
namespace {

/// The rules that a text breaks under a path, in order and separated by spaces.
std::string broken(const std::string& path, const std::string& text) {
  std::string rules;
  for (const Finding& finding : check_file({path, text}, {path, "hone/a/b.h"})) {
    rules += (rules.empty() ? "" : " ") + finding.rule;
  }
  return rules;
}

std::string lines(int count, const std::string& line = "  x();\n") {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

}  // namespace

TEST(TidyScan, CommentsAndLiteralsVanish) {
  EXPECT_EQ(without_comments_and_literals("a /* { */ b // {\nc"), "a         b     \nc");
  EXPECT_EQ(without_comments_and_literals("x = \"{\\\"\" + '{';"), "x =       +    ;");
  EXPECT_EQ(without_comments_and_literals("R\"x({)\" \n)x\" 1"), "        \n    1");
  EXPECT_EQ(without_comments_and_literals("1'000'000 {"), "1'000'000 {");
}

TEST(TidyScan, FunctionsAreFound) {
  const auto functions = find_functions(
      "namespace a {\n"
      "#define F(x) \\\n"
      "  { x }\n"
      "MACRO(int x())\n"
      "\n"
      "namespace {\n"
      "}\n"
      "struct B : C<int> {\n"
      "  int d() const { return 1; }\n"
      "  B() : e_(1) {\n"
      "  }\n"
      "};\n"
      "int table[] = {f({1}), 2};\n"
      "template <typename T>\n"
      "void g(int x = 3) {\n"
      "  if (x) { y(); }\n"
      "}\n"
      "bool operator==(B, B) { return true; }\n"
      "}\n");
  std::vector<std::string> found;
  for (const auto& function : functions) {
    found.push_back(function.name + " " + std::to_string(function.first_line) + "-" +
                    std::to_string(function.last_line));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"d 9-9", "B 10-11", "g 14-17", "operator== 18-18"}));
}

TEST(TidyRules, LengthsAreLimited) {
  EXPECT_EQ(broken("hone/a/b_test.cpp", "void f() {\n" + lines(68) + "}\n"), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "void f() {\n" + lines(69) + "}\n"), "function-length");
  EXPECT_EQ(broken("hone/a/b_test.cpp", lines(600, "int x;\n")), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", lines(601, "int x;\n")), "file-length");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "//" + std::string(98, 'x') + "\n"), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "//" + std::string(99, 'x') + "\n"), "columns");
  std::string accents = "//";
  for (int i = 0; i < 98; ++i) accents += "é";
  EXPECT_EQ(broken("hone/a/b_test.cpp", accents + "\n"), "");
}

TEST(TidyRules, WordsAndSpaces) {
  EXPECT_EQ(broken("hone/a/b_test.cpp", "int x; \n"), "trailing-space");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "int x;"), "last-newline");
  EXPECT_EQ(broken("hone/a/b_test.cpp",
                   "// TO"
                   "DO: later\n"),
            "unfinished");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "auto x = getenv(\"A\");\n"), "environment");
  EXPECT_EQ(broken("hone/base/b.cpp", "#include \"hone/base/c.h\"\nauto x = getenv(\"A\");\n"), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "// getenv\nauto x = \"getenv\";\n"), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "void f() { std::cout << 1; }\n"), "stdout");
  EXPECT_EQ(broken("hone/cli/b_test.cpp", "void f() { std::cout << 1; }\n"), "");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "#include <torch/torch.h>\n"), "torch-header");
  EXPECT_EQ(broken("docs/a.md", "word \n"), "trailing-space");
}

TEST(TidyRules, NamesSayWhatThingsAre) {
  EXPECT_EQ(broken("hone/a/b_test.cpp", "class BlockManager;\n"), "vague-name");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "struct Implicit;\nclass Manageress;\n"), "");
  EXPECT_EQ(broken("tools/string_utils.py", "x = 1\n"), "vague-name");
  EXPECT_EQ(broken("tools/MyTool.py", "x = 1\n"), "file-name");
}

TEST(TidyRules, HeadersAreExplainedAndGuarded) {
  const std::string start = "#pragma once\n\n#include <x>\n\nnamespace hone {\n\n";
  EXPECT_EQ(broken("hone/a/b.h", start + "/// Says.\nint f();\nint g();\n\nstruct X;\n\n}\n"), "");
  EXPECT_EQ(broken("hone/a/b.h", start + "int f();\n\n}\n"), "header-comment");
  EXPECT_EQ(broken("hone/a/b.h", start + "/// Says.\nstruct X {\n  int a;\n\n  int b;\n};\n\n}\n"),
            "");
  EXPECT_EQ(broken("hone/a/b.h", start + "/// Says.\nint f();\n\nint g();\n\n}\n"),
            "header-comment");
  EXPECT_EQ(broken("hone/a/b.h",
                   "#pragma once\n\n/// Says.\nnamespace hone {\n\nint f();\n\n"
                   "int g();\n\n}\n"),
            "header-comment");
  EXPECT_EQ(broken("hone/a/b.h", start + "struct XOptions {\n  int a;\n};\n\n}\n"), "");
  EXPECT_EQ(broken("hone/a/b.h", "// first\n#pragma once\n"), "pragma-once");
  EXPECT_EQ(broken("hone/a/b.h", start + "using namespace std;\n\n}\n"), "using-namespace");
}

TEST(TidyRules, ASourceIncludesItsHeader) {
  const auto includes = [](const std::string& header) { return "#include " + header + "\n"; };
  EXPECT_EQ(broken("hone/a/b.cpp", includes("\"hone/a/b.h\"")), "");
  EXPECT_EQ(broken("hone/a/b.cpp", includes("\"hone/a/c.h\"")), "own-header");
  EXPECT_EQ(broken("hone/a/row.cpp", includes("\"hone/a/table.h\"")), "");
  EXPECT_EQ(broken("hone/a/row.cpp", includes("\"hone/b/table.h\"")), "own-header");
  EXPECT_EQ(broken("hone/a/b.cpp", "int x;\n"), "own-header");
  EXPECT_EQ(broken("hone/a/b_test.cpp", "int x;\n"), "");
  EXPECT_EQ(broken("tests/e2e/other.cpp", "int x;\n"), "");
}

}  // namespace hone::tidy
