#include "hone/engine/generate_lines.h"

#include <algorithm>
#include <span>

#include "hone/base/check.h"
#include "hone/engine/sampling_json.h"

namespace hone::engine {
namespace {

std::vector<int32_t> read_token_ids(const Json& value, std::string_view origin) {
  const auto is_id = [](const Json& id) {
    return id.is_number_unsigned() && id.get<uint64_t>() <= INT32_MAX;
  };
  HONE_CHECK(value.is_array() && !value.empty() && std::ranges::all_of(value, is_id),
             "{}: prompt_token_ids must be a list of at least one token id", origin);
  return value.get<std::vector<int32_t>>();
}

Json float_list(std::span<const float> values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(json_float(value));
  return list;
}

void read_key(GenerateLine& line, const std::string& key, const Json& value,
              std::string_view origin) {
  if (key == "id") {
    line.id = value;
  } else if (key == "prompt") {
    HONE_CHECK(value.is_string(), "{}: prompt must be a string, got {}", origin, value.type_name());
    line.prompt = value;
  } else if (key == "messages" || key == "tools") {
    HONE_CHECK(value.is_array(), "{}: {} must be a list, got {}", origin, key, value.type_name());
    (key == "tools" ? line.tools : line.messages) = value;
  } else if (key == "prompt_token_ids") {
    line.prompt_token_ids = read_token_ids(value, origin);
  } else if (key == "samples") {
    HONE_CHECK(value.is_number_unsigned() && value.get<uint64_t>() >= 1,
               "{}: samples must be a whole number of at least 1, got {}", origin,
               hone::print_json(value));
    line.samples = value.get<int64_t>();
  } else if (key == "sampling") {
    line.params = read_sampling(value, origin, line.params);
  } else {
    line.columns[key] = value;
  }
}

}  // namespace

GenerateLine parse_generate_line(std::string_view text, std::string_view origin,
                                 const SamplingParams& defaults) {
  const Json object = parse_json(text, origin);
  HONE_CHECK(object.is_object(), "{}: a line must be a JSON object, got {}", origin,
             object.type_name());
  GenerateLine line;
  line.params = defaults;
  line.columns = Json::object();
  for (const auto& [key, value] : object.items()) read_key(line, key, value, origin);
  const int prompt_count =
      !line.prompt.is_null() + !line.messages.is_null() + !line.prompt_token_ids.empty();
  HONE_CHECK(prompt_count == 1,
             "{}: a line must have exactly one of prompt, messages and prompt_token_ids, got {}",
             origin, prompt_count);
  return line;
}

std::string print_generate_line(const GenerateLine& line, const Sequence& sequence,
                                std::string_view text, const GenerateDetail& detail) {
  Json object = Json::object();
  if (!line.id.is_null()) object["id"] = line.id;
  object["sample"] = sequence.sample_index;
  object["text"] = text;
  object["finish_reason"] = to_string(sequence.finish_reason);
  object["prompt_tokens"] = sequence.prompt_count;
  object["output_tokens"] = sequence.output_count();
  if (detail.token_ids) object["token_ids"] = sequence.output();
  if (detail.log_probs) {
    object["log_probs"] = float_list(sequence.log_probs);
    object["raw_log_probs"] = float_list(sequence.raw_log_probs);
  }
  if (detail.epochs) object["epochs"] = sequence.epochs;
  for (const auto& [key, value] : line.columns.items()) {
    if (!object.contains(key)) object[key] = value;
  }
  return hone::print_json(object);
}

}  // namespace hone::engine
