#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tidy {

/// A place that breaks a rule of the style section of the architecture.
struct Finding {
  std::string file;
  int line = 0;
  std::string rule;
  std::string message;
};

/// One file of the repository, its path relative to the root.
struct SourceFile {
  std::string path;
  std::string text;
};

/// C++ text of the same shape in which comments and the insides of literals are spaces.
std::string without_comments_and_literals(std::string_view text);

/// A function body in C++ text: its name as far as it can be told and its lines, signature
/// included.
struct FunctionExtent {
  std::string name;
  int first_line = 0, last_line = 0;
};

/// The outermost function bodies of C++ text, found by matching braces.
std::vector<FunctionExtent> find_functions(std::string_view text);

/// All findings of one file. `paths` are all files of the repository.
std::vector<Finding> check_file(const SourceFile& file, const std::set<std::string>& paths);

/// Number of lines of a text.
int count_lines(std::string_view text);

}  // namespace hone::tidy
