#include <algorithm>
#include <cctype>
#include <regex>

#include "tidy_rules.h"

namespace hone::tidy {
namespace {

/// The end of the literal or comment that starts at `at`; `at` itself if none does.
size_t end_of_span(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const auto after = [&](size_t found, size_t width) {
    return found == text.npos ? text.size() : found + width;
  };
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return after(text.find("*/", at + 2), 2);
  if (rest.starts_with("R\"")) {
    const size_t open = text.find('(', at);
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    return after(text.find(close, open), close.size());
  }
  const bool digit_separator = rest[0] == '\'' && at > 0 && std::isalnum(text[at - 1]);
  if ((rest[0] != '"' && rest[0] != '\'') || digit_separator) return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != rest[0] && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

int line_of(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

/// Blanks preprocessor directives with their continuation lines.
void blank_directives(std::string& code) {
  bool inside = false;
  for (size_t line = 0, end; line < code.size(); line = end + 1) {
    end = std::min(code.find('\n', line), code.size());
    const size_t word = code.find_first_not_of(" \t", line);
    inside = inside || (word < end && code[word] == '#');
    const bool continues = inside && code[end - 1] == '\\';
    if (inside) std::fill(code.begin() + line, code.begin() + end, ' ');
    inside = continues;
  }
}

/// What stands before an opening brace: from the last statement, block or blank line on.
struct Head {
  size_t begin, end;
};

Head head_before(std::string_view code, size_t brace) {
  size_t begin = brace == 0 ? code.npos : code.find_last_of(";{}", brace - 1);
  begin = begin == code.npos ? 0 : begin + 1;
  for (size_t line = begin, end; (end = code.find('\n', line)) < brace; line = end + 1) {
    if (code.find_first_not_of(" \t", line) == end) begin = end + 1;
  }
  while (begin < brace && std::isspace(code[begin])) ++begin;
  return {begin, brace};
}

/// What a brace opens outside of functions: more declarations, a function body or a value.
enum class Opens { scope, function, value };

/// A function has a parameter list and no assignment outside of it, and is no type or namespace.
Opens what_opens(std::string_view head) {
  static const std::regex scope(
      "^(template\\s*<[^{]*>\\s*)?(class|struct|union|enum|namespace|inline namespace|extern)\\b");
  if (std::regex_search(head.begin(), head.end(), scope)) return Opens::scope;
  const bool names_operator = head.substr(0, head.find('(')).find("operator") != head.npos;
  int depth = 0;
  bool parameters = false;
  for (const char c : head) {
    depth += (c == '(') - (c == ')');
    parameters |= c == '(';
    if (c == '=' && depth == 0 && !names_operator) return Opens::value;
  }
  return parameters ? Opens::function : Opens::value;
}

std::string name_in(std::string_view head) {
  const std::string_view before = head.substr(0, head.find('('));
  const size_t begin = before.find_last_of(" \n*&") + 1;
  return std::string(before.substr(begin));
}

size_t matching_brace(std::string_view code, size_t open) {
  int depth = 0;
  for (size_t at = open; at < code.size(); ++at) {
    depth += (code[at] == '{') - (code[at] == '}');
    if (depth == 0) return at;
  }
  return code.size() - 1;
}

}  // namespace

std::string without_comments_and_literals(std::string_view text) {
  std::string code(text);
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_span(text, at);
    for (size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

std::vector<FunctionExtent> find_functions(std::string_view text) {
  std::string code = without_comments_and_literals(text);
  blank_directives(code);
  std::vector<FunctionExtent> functions;
  for (size_t at = code.find('{'); at != code.npos; at = code.find('{', at + 1)) {
    const Head head = head_before(code, at);
    const std::string_view words = std::string_view(code).substr(head.begin, head.end - head.begin);
    const Opens opens = what_opens(words);
    if (opens == Opens::scope) continue;
    const size_t close = matching_brace(code, at);
    if (opens == Opens::function) {
      functions.push_back({name_in(words), line_of(code, head.begin), line_of(code, close)});
    }
    at = close;
  }
  return functions;
}

}  // namespace hone::tidy
