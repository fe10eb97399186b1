// The style as a test: checks every file that git knows (or the source tree where git is missing)
// against the rules of tidy_rules.cpp. Usage: tidy ROOT. Exit code 1 when a rule is broken.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tidy_rules.h"

namespace hone::tidy {
namespace {

namespace fs = std::filesystem;

struct Waiver {
  std::string file, rule, reason;
};

/// Places that may break a rule. Their number only falls.
const std::vector<Waiver>& waivers() {
  static const std::vector<Waiver> all = {};
  return all;
}

constexpr int kWishedFileLines = 250;

std::set<std::string> listed_by_git(const fs::path& root) {
  const std::string command = fmt::format(
      "git -C '{}' ls-files --cached --others --exclude-standard 2>/dev/null", root.string());
  std::set<std::string> paths;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return paths;
  std::string path;
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n') {
      path += static_cast<char>(c);
    } else {
      if (fs::is_regular_file(root / path)) paths.insert(path);
      path.clear();
    }
  }
  ::pclose(pipe);
  return paths;
}

std::set<std::string> listed_by_walking(const fs::path& root) {
  std::set<std::string> paths;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name.starts_with('.') || name.starts_with("build"))) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.insert(fs::relative(entry->path(), root).string());
    }
  }
  return paths;
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whether a waiver covers the finding; counts its uses.
bool is_waived(const Finding& finding, std::vector<int>& uses) {
  for (size_t i = 0; i < waivers().size(); ++i) {
    if (finding.file != waivers()[i].file || finding.rule != waivers()[i].rule) continue;
    ++uses[i];
    return true;
  }
  return false;
}

int run(const fs::path& root) {
  std::set<std::string> paths = listed_by_git(root);
  if (paths.empty()) paths = listed_by_walking(root);
  std::vector<int> uses(waivers().size());
  int failures = 0, long_files = 0;
  for (const std::string& path : paths) {
    if (path.starts_with("tests/golden/data/")) continue;
    const SourceFile file{path, read_text(root / path)};
    if (file.text.find('\0') != file.text.npos) continue;
    const bool is_test = path.find("_test.") != path.npos;
    long_files +=
        path.starts_with("hone/") && !is_test && count_lines(file.text) > kWishedFileLines;
    for (const Finding& finding : check_file(file, paths)) {
      if (is_waived(finding, uses)) continue;
      ++failures;
      fmt::print("{}:{}: [{}] {}\n", finding.file, finding.line, finding.rule, finding.message);
    }
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] > 0) continue;
    ++failures;
    fmt::print("tools/tidy.cpp: [waiver] {} {} is not needed any more; delete it\n",
               waivers()[i].file, waivers()[i].rule);
  }
  fmt::print("tidy: {} files, {} findings, {} waivers, {} files above {} lines\n", paths.size(),
             failures, uses.size(), long_files, kWishedFileLines);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hone::tidy

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tidy ROOT\n");
    return 2;
  }
  return hone::tidy::run(argv[1]);
}
