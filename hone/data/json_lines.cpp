#include "hone/data/json_lines.h"

#include "hone/base/check.h"

namespace hone::data {

void for_each_line(const Path& path, const std::function<void(const JsonLine&)>& body) {
  const MappedFile file(path);
  std::string_view rest = file.bytes();
  for (int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    if (text.find_first_not_of(" \t\r") == text.npos) continue;
    JsonLine line{nullptr, fmt::format("{}:{}", path.string(), number)};
    line.object = parse_json(text, line.place);
    HONE_CHECK(line.object.is_object(), "{}: must be a JSON object, came {}", line.place,
               line.object.type_name());
    body(line);
  }
}

const Json& member(const JsonLine& line, const std::string& field) {
  const auto found = line.object.find(field);
  if (found != line.object.end()) return *found;
  std::string names;
  for (const auto& [name, value] : line.object.items()) names += (names.empty() ? "" : ", ") + name;
  fail_input("{}: no field '{}'; the fields are: {}", line.place, field, names);
}

std::string string_member(const JsonLine& line, const std::string& field) {
  const Json& value = member(line, field);
  HONE_CHECK(value.is_string(), "{}: field '{}' must be a string, came {}", line.place, field,
             value.type_name());
  return value.get<std::string>();
}

Json messages_member(const JsonLine& line, const std::string& field) {
  const Json& messages = member(line, field);
  HONE_CHECK(messages.is_array() && !messages.empty(),
             "{}: field '{}' must be a list of messages, came {}", line.place, field,
             messages.is_array() ? "an empty list" : messages.type_name());
  for (size_t i = 0; i < messages.size(); ++i) {
    const Json& message = messages[i];
    const Json role = message.is_object() ? message.value("role", Json()) : Json();
    HONE_CHECK(role.is_string(), "{}: {}[{}] must be an object with a string 'role'", line.place,
               field, i);
    const Json content = message.value("content", Json());
    HONE_CHECK(content.is_string() || content.is_array() || content.is_null(),
               "{}: {}[{}].content must be a string, a list or null, came {}", line.place, field, i,
               content.type_name());
  }
  return messages;
}

}  // namespace hone::data
