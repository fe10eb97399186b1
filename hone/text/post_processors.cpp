#include "hone/text/post_processors.h"

namespace hone::text {
namespace {

int32_t pair_id(const Fields& json, const char* key) {
  const Fields& pair = list_field(json, key);
  HONE_CHECK(pair.size() == 2 && pair[1].is_number_integer(),
             "tokenizer: post-processor: '{}' must be [token, id], not {}", key, pair.dump());
  return pair[1].get<int32_t>();
}

std::vector<int32_t> template_ids(const Fields& json, const std::string& name) {
  HONE_CHECK(json.contains("special_tokens") && json["special_tokens"].is_object() &&
                 json["special_tokens"].contains(name),
             "tokenizer: TemplateProcessing: special token '{}' is not declared", name);
  return field<std::vector<int32_t>>(json["special_tokens"][name], "ids");
}

void apply_template(const Fields& json, Surround& out) {
  Surround mine;
  bool text_seen = false;
  for (const Fields& item : list_field(json, "single")) {
    if (item.is_object() && item.contains("Sequence")) {
      HONE_CHECK(!text_seen, "tokenizer: TemplateProcessing: 'single' names its text twice");
      text_seen = true;
      continue;
    }
    HONE_CHECK(item.is_object() && item.contains("SpecialToken"),
               "tokenizer: TemplateProcessing: unknown item {}", item.dump());
    const auto ids = template_ids(json, field<std::string>(item["SpecialToken"], "id"));
    auto& side = text_seen ? mine.after : mine.before;
    side.insert(side.end(), ids.begin(), ids.end());
  }
  HONE_CHECK(text_seen, "tokenizer: TemplateProcessing: 'single' lacks its text");
  out.before.insert(out.before.begin(), mine.before.begin(), mine.before.end());
  out.after.insert(out.after.end(), mine.after.begin(), mine.after.end());
}

void apply(const Fields& json, Surround& out) {
  if (json.is_null()) return;
  const auto type = field<std::string>(json, "type");
  if (type == "ByteLevel") return;
  if (type == "TemplateProcessing") return apply_template(json, out);
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    out.before.insert(out.before.begin(), pair_id(json, "cls"));
    out.after.push_back(pair_id(json, "sep"));
    return;
  }
  HONE_CHECK(type == "Sequence", "tokenizer: unknown post-processor '{}'", type);
  for (const Fields& step : list_field(json, "processors")) apply(step, out);
}

}  // namespace

Surround make_surround(const Fields& json) {
  Surround surround;
  apply(json, surround);
  return surround;
}

}  // namespace hone::text
