#include "hone/data/sources.h"

#include "hone/base/check.h"
#include "hone/data/json_lines.h"

namespace hone::data {
namespace {

/// A string becomes one message of `role`; a list of messages stays.
Json as_messages(const JsonLine& line, const std::string& field, const char* role) {
  const Json& value = member(line, field);
  if (!value.is_string()) return messages_member(line, field);
  return Json::array({Json{{"role", role}, {"content", value}}});
}

std::string stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin));
}

std::string ground_truth(const JsonLine& line, const PromptOptions& options) {
  if (options.answer_field.empty()) return "";
  const Json& value = member(line, options.answer_field);
  HONE_CHECK(value.is_string() || value.is_number(),
             "{}: field '{}' must be a string or a number, came {}", line.place,
             options.answer_field, value.type_name());
  if (value.is_number()) return value.dump();
  const std::string text = value.get<std::string>();
  if (options.answer_marker.empty()) return stripped(text);
  const size_t marker = text.rfind(options.answer_marker);
  HONE_CHECK(marker != text.npos, "{}: field '{}' holds no marker '{}'", line.place,
             options.answer_field, options.answer_marker);
  return stripped(std::string_view(text).substr(marker + options.answer_marker.size()));
}

Prompt prompt_of(const JsonLine& line, const PromptOptions& options) {
  Prompt prompt{as_messages(line, options.question_field, "user"), ground_truth(line, options),
                Json::object()};
  if (!options.system.empty()) {
    HONE_CHECK(prompt.messages[0]["role"] != "system",
               "{}: the prompt has a system message, and so has the option `system`; drop one",
               line.place);
    prompt.messages.insert(prompt.messages.begin(),
                           Json{{"role", "system"}, {"content", options.system}});
  }
  const auto nested = line.object.find("metadata");
  if (nested != line.object.end() && nested->is_object()) {
    prompt.metadata = *nested;
    return prompt;
  }
  for (const auto& [name, value] : line.object.items()) {
    if (name == options.question_field || name == options.answer_field) continue;
    prompt.metadata[name] = value;
  }
  return prompt;
}

Conversation conversation_of(const JsonLine& line) {
  Conversation conversation;
  if (line.object.contains("tools")) conversation.tools = line.object["tools"];
  if (line.object.contains("messages")) {
    conversation.messages = messages_member(line, "messages");
  } else {
    HONE_CHECK(line.object.contains("prompt") && line.object.contains("completion"),
               "{}: needs 'messages', or 'prompt' and 'completion'", line.place);
    conversation.messages = as_messages(line, "prompt", "user");
    conversation.learn_from = static_cast<int64_t>(conversation.messages.size());
    for (Json& message : as_messages(line, "completion", "assistant")) {
      conversation.messages.push_back(std::move(message));
    }
  }
  for (size_t i = conversation.learn_from; i < conversation.messages.size(); ++i) {
    if (conversation.messages[i]["role"] == "assistant") return conversation;
  }
  fail_input("{}: holds no assistant message to learn from", line.place);
}

}  // namespace

std::vector<Prompt> load_prompts(const PromptOptions& options) {
  std::vector<Prompt> prompts;
  for_each_line(options.path,
                [&](const JsonLine& line) { prompts.push_back(prompt_of(line, options)); });
  HONE_CHECK(!prompts.empty(), "{}: holds no prompt", options.path.string());
  return prompts;
}

std::vector<Conversation> load_conversations(const Path& path) {
  std::vector<Conversation> conversations;
  for_each_line(path,
                [&](const JsonLine& line) { conversations.push_back(conversation_of(line)); });
  HONE_CHECK(!conversations.empty(), "{}: holds no conversation", path.string());
  return conversations;
}

}  // namespace hone::data
