#include "tidy_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace hone::tidy {
namespace {

constexpr int kMaxFileLines = 600;
constexpr int kMaxFunctionLines = 70;
constexpr int kMaxColumns = 100;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

bool is_header(std::string_view path) {
  return path.ends_with(".h");
}
bool is_cpp(std::string_view path) {
  return is_header(path) || path.ends_with(".cpp");
}
bool is_code(std::string_view path) {
  return is_cpp(path) || path.ends_with(".py") || path.ends_with(".cmake") ||
         path.ends_with("CMakeLists.txt");
}

std::string stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.find('.')));
}

int count_columns(std::string_view line) {
  return static_cast<int>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == line.npos;
}

/// A file being checked and what was found in it so far.
struct Check {
  const SourceFile& file;
  std::vector<Finding> findings;

  void add(int line, std::string_view rule, std::string message) {
    findings.push_back({file.path, line, std::string(rule), std::move(message)});
  }
  /// Adds a finding for each line of `text` that the pattern matches.
  void forbid(std::string_view text, const std::string& pattern, std::string_view rule,
              const std::string& message) {
    const std::regex regex(pattern);
    int number = 0;
    for (const std::string_view line : split_lines(text)) {
      ++number;
      if (std::regex_search(line.begin(), line.end(), regex)) add(number, rule, message);
    }
  }
};

void check_lines(Check& check) {
  int number = 0;
  for (const std::string_view line : split_lines(check.file.text)) {
    ++number;
    if (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
      check.add(number, "trailing-space", "ends in white space");
    }
    if (is_code(check.file.path) && count_columns(line) > kMaxColumns) {
      check.add(number, "columns", fmt::format("{} columns, at most 100", count_columns(line)));
    }
  }
  if (!check.file.text.empty() && check.file.text.back() != '\n') {
    check.add(number, "last-newline", "the last line has no newline");
  }
  if (is_code(check.file.path)) {
    check.forbid(check.file.text,
                 "\\b(TO"
                 "DO|FIX"
                 "ME|HA"
                 "CK)\\b",
                 "unfinished", "finish it or open an issue");
  }
}

void check_names(Check& check) {
  const std::string& path = check.file.path;
  const std::string name = path.substr(path.rfind('/') + 1);
  const bool checked = is_cpp(path) || path.ends_with(".py") || path.ends_with(".toml");
  if (!checked) return;
  if (!std::regex_match(name, std::regex("[a-z0-9_]+\\.[a-z]+"))) {
    check.add(1, "file-name", "file names are snake_case");
  }
  if (std::regex_search(stem_of(path), std::regex("(^|_)(manager|helpers?|utils?|impl)(_|$)"))) {
    check.add(1, "vague-name", "say what it does instead of manager, helper, utils, impl");
  }
}

void check_code(Check& check, const std::string& code) {
  const std::string& path = check.file.path;
  check.forbid(code,
               "\\b(class|struct|enum|namespace)\\s+\\w*"
               "([Mm]anager|[Hh]elpers?|[Uu]tils?|[Ii]mpl)\\b",
               "vague-name", "say what it does instead of Manager, Helper, Utils, Impl");
  check.forbid(check.file.text, "^\\s*#\\s*include\\s*[<\"]torch/torch\\.h", "torch-header",
               "include the header of each operator: torch/torch.h costs 13 s a file");
  if (!path.starts_with("hone/base/")) {
    check.forbid(code, "\\bgetenv\\b", "environment", "only hone/base reads the environment");
  }
  if (path.starts_with("hone/") && !path.starts_with("hone/cli/")) {
    check.forbid(code, "\\bstd::cout\\b", "stdout", "only hone/cli writes results");
  }
  for (const FunctionExtent& function : find_functions(check.file.text)) {
    const int lines = function.last_line - function.first_line + 1;
    if (lines <= kMaxFunctionLines) continue;
    check.add(function.first_line, "function-length",
              fmt::format("'{}' has {} lines, at most 70", function.name, lines));
  }
}

/// Whether a paragraph of a header may stand without a comment: it declares nothing, shows its
/// definition, or holds options that fields() explains.
bool explains_itself(std::string_view line) {
  static const std::regex plain(
      "//|#|namespace\\b|\\}|using\\b|typedef\\b|extern\\b|inline\\b|constexpr\\b|"
      "struct \\w+Options \\{|(template.*)?(class|struct|enum class) \\w+;.*");
  return std::regex_search(line.begin(), line.end(), plain, std::regex_constants::match_continuous);
}

/// Declarations come in paragraphs; the first line of each must be its comment, or the comment of
/// the namespace that it starts. Only lines outside all braces but those of namespaces count.
void check_header_comments(Check& check, const std::string& code) {
  const auto lines = split_lines(check.file.text), code_lines = split_lines(code);
  int depth = 0, namespaces = 0;
  bool fresh = true, explained = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool outside = depth == namespaces, declares = fresh && !is_blank(lines[i]);
    if (outside && declares && !explained && !explains_itself(lines[i])) {
      check.add(static_cast<int>(i) + 1, "header-comment", "say in a sentence what this is");
    }
    if (declares) explained = false;
    fresh = is_blank(lines[i]);
    const std::string_view line = code_lines[i];
    const auto opened = static_cast<int>(std::count(line.begin(), line.end(), '{'));
    if (line.starts_with("namespace") && opened > 0) {
      ++namespaces;
      explained = i > 0 && lines[i - 1].starts_with("///");
    }
    depth += opened - static_cast<int>(std::count(line.begin(), line.end(), '}'));
    namespaces = std::min(namespaces, depth);
  }
}

void check_header(Check& check, const std::string& code) {
  if (!check.file.text.starts_with("#pragma once\n")) {
    check.add(1, "pragma-once", "a header starts with #pragma once");
  }
  check.forbid(code, "\\busing\\s+namespace\\b", "using-namespace",
               "a header imposes no namespace on its users");
  if (check.file.path.starts_with("hone/")) check_header_comments(check, code);
}

/// A source includes the header that declares what it defines: foo.h beside it, else another header
/// of its folder, such as the table in which it is a row.
void check_source(Check& check, const std::set<std::string>& paths) {
  const std::string& path = check.file.path;
  static const std::regex alone("hone/(.*_test|main)\\.cpp");
  if (!path.starts_with("hone/") || std::regex_match(path, alone)) return;
  const std::string own = path.substr(0, path.size() - 4) + ".h";
  const std::string wanted = paths.count(own) ? own + '"' : path.substr(0, path.rfind('/') + 1);
  if (check.file.text.find("#include \"" + wanted) == std::string::npos) {
    check.add(1, "own-header", "includes neither its own header nor one of its folder");
  }
}

}  // namespace

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<Finding> check_file(const SourceFile& file, const std::set<std::string>& paths) {
  Check check{file, {}};
  check_lines(check);
  check_names(check);
  if (is_code(file.path) && count_lines(file.text) > kMaxFileLines) {
    check.add(1, "file-length", fmt::format("{} lines, at most 600", count_lines(file.text)));
  }
  if (is_cpp(file.path)) {
    const std::string code = without_comments_and_literals(file.text);
    check_code(check, code);
    is_header(file.path) ? check_header(check, code) : check_source(check, paths);
  }
  return std::move(check.findings);
}

}  // namespace hone::tidy
