#include "hone/base/step_log.h"

#include "hone/base/check.h"

namespace hone {
namespace {

/// Calls `body` with each whole line that is an object with a step; stops when it returns false or
/// at the first other line. Returns the number of bytes it went through.
int64_t walk_lines(const Path& path, const std::function<bool(Json&)>& body) {
  if (!std::filesystem::exists(path)) return 0;
  const std::string text = read_file(path);
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    Json line = Json::parse(text.begin() + begin, text.begin() + end, nullptr, false);
    const bool whole =
        line.is_object() && line.contains("step") && line["step"].is_number_integer();
    if (!whole || !body(line)) break;
  }
  return static_cast<int64_t>(begin);
}

int64_t bytes_up_to(const Path& path, int64_t last_step) {
  return walk_lines(path, [&](Json& line) { return line["step"].get<int64_t>() <= last_step; });
}

}  // namespace

StepLog::StepLog(const Path& path, int64_t last_step) : file_(path, bytes_up_to(path, last_step)) {}

void StepLog::append(int64_t step, const Json& values) {
  HONE_ASSERT(values.is_object(), "values of step {} are {}", step, values.type_name());
  Json line = {{"step", step}};
  line.update(values);
  file_.append(print_json(line) + '\n');
}

std::vector<Json> read_step_log(const Path& path) {
  std::vector<Json> lines;
  walk_lines(path, [&](Json& line) {
    lines.push_back(std::move(line));
    return true;
  });
  return lines;
}

}  // namespace hone
