#include "hone/cli/requests.h"

#include "hone/engine/sampling_json.h"

namespace hone::cli {
namespace {

constexpr const char* kPromptFields[] = {"prompt", "messages", "token_ids"};

bool is_prompt_field(const std::string& name) {
  for (const char* field : kPromptFields) {
    if (name == field) return true;
  }
  return name == "id" || name == "completion";
}

}  // namespace

std::vector<int32_t> prompt_tokens(const data::JsonLine& line, const train::ModelFiles& files) {
  int present = 0;
  for (const char* field : kPromptFields) present += line.object.contains(field);
  HONE_CHECK(present == 1,
             "{}: a line needs exactly one of 'prompt', 'messages' and 'token_ids', but it has {}",
             line.place, present);
  if (line.object.contains("prompt")) {
    return files.tokenizer.encode(data::string_member(line, "prompt"));
  }
  if (line.object.contains("messages")) {
    return text::encode_chat(files.tokenizer, files.chat_template,
                             {.messages = data::messages_member(line, "messages"),
                              .add_generation_prompt = true,
                              .variables = files.template_variables})
        .ids;
  }
  std::vector<int32_t> tokens;
  for (const auto& value : line.object["token_ids"]) {
    const bool valid = value.is_number_integer() && value.get<int64_t>() >= 0 &&
                       value.get<int64_t>() < files.tokenizer.vocabulary_size();
    HONE_CHECK(valid, "{}: token id {} is not in [0, {})", line.place, value.dump(),
               files.tokenizer.vocabulary_size());
    tokens.push_back(value.get<int32_t>());
  }
  return tokens;
}

engine::Request make_request(const data::JsonLine& line, const train::ModelFiles& files,
                             const engine::SamplingParams& defaults) {
  Json sampling = Json::object();
  for (const auto& [name, value] : line.object.items()) {
    if (!is_prompt_field(name)) sampling[name] = value;
  }
  engine::Request request;
  request.prompt = prompt_tokens(line, files);
  HONE_CHECK(!request.prompt.empty(), "{}: the prompt has no token", line.place);
  request.params = engine::read_sampling(sampling, line.place, defaults);
  if (!request.params.ignore_eos) {
    auto& stops = request.params.stop_token_ids;
    stops.insert(stops.end(), files.eos_token_ids.begin(), files.eos_token_ids.end());
  }
  return request;
}

}  // namespace hone::cli
