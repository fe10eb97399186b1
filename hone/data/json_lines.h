#pragma once

#include <functional>
#include <string>

#include "hone/base/files.h"
#include "hone/base/json.h"

namespace hone::data {

/// One object of a JSON-lines file and where it stands: "train.jsonl:12".
struct JsonLine {
  Json object;
  std::string place;
};

/// Calls `body` for each line that is not blank, in order. A line that is not a JSON object is an
/// input error with file and line.
void for_each_line(const Path& path, const std::function<void(const JsonLine&)>& body);

/// The member `field` of the line; an input error names place, field and the fields there are.
const Json& member(const JsonLine& line, const std::string& field);

/// The same, and it must be a string.
std::string string_member(const JsonLine& line, const std::string& field);

/// The same, and it must be a list of messages: objects with a string `role` and a `content` that
/// is a string, a list or null. Not empty.
Json messages_member(const JsonLine& line, const std::string& field);

}  // namespace hone::data
