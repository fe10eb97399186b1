#include "hone/io/gguf_tokenizer.h"

#include <array>

#include "hone/base/check.h"

namespace hone::io {
namespace {

constexpr int kControl = 3, kUserDefined = 4;

/// How text is cut before BPE, by tokenizer.ggml.pre. An empty pattern is GPT-2's own.
struct PreTokenizer {
  std::string_view name;
  std::string_view pattern;
  bool digits_alone, nfc, ignore_merges;
};

constexpr std::array<PreTokenizer, 4> kPreTokenizers{
    {{"gpt-2", "", false, false, false},
     {"smollm", "", true, false, false},
     {"llama-bpe",
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
      R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      false, false, true},
     {"qwen2",
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
      R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      false, true, false}}};

const Json& list_of(const GgufFile& file, const std::string& key) {
  const Json* list = file.value(key);
  HONE_CHECK(list && list->is_array(), "the GGUF file has no list '{}'", key);
  return *list;
}

const PreTokenizer& pre_tokenizer_of(const GgufFile& file) {
  const Json* pre = file.value("tokenizer.ggml.pre");
  const std::string name = pre && pre->is_string() ? pre->get<std::string>() : "(none)";
  std::string known;
  for (const PreTokenizer& row : kPreTokenizers) {
    if (row.name == name) return row;
    known += fmt::format(" {}", row.name);
  }
  fail_input("tokenizer.ggml.pre is '{}'; known are{}", name, known);
}

Json split_of(const PreTokenizer& pre) {
  Json steps = Json::array();
  if (pre.digits_alone) steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
  if (!pre.pattern.empty()) {
    steps.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", pre.pattern}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  }
  steps.push_back({{"type", "ByteLevel"},
                   {"add_prefix_space", false},
                   {"trim_offsets", true},
                   {"use_regex", pre.pattern.empty()}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

Json added_tokens(const Json& tokens, const Json& types) {
  Json added = Json::array();
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (types[id] != kControl && types[id] != kUserDefined) continue;
    added.push_back({{"id", id},
                     {"content", tokens[id]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", types[id] == kControl}});
  }
  return added;
}

Json bpe_model(const Json& tokens, const Json& merges, bool ignore_merges) {
  Json vocabulary = Json::object(), pairs = Json::array();
  auto& entries = vocabulary.get_ref<Json::object_t&>();  // appended: a look-up here is linear
  for (size_t id = 0; id < tokens.size(); ++id) {
    HONE_CHECK(tokens[id].is_string(), "tokenizer.ggml.tokens[{}] is not a string", id);
    entries.emplace_back(tokens[id].get<std::string>(), id);
  }
  for (const Json& merge : merges) {
    HONE_CHECK(merge.is_string(), "tokenizer.ggml.merges holds a value that is not a string");
    const auto& text = merge.get_ref<const std::string&>();
    const size_t space = text.find(' ', 1);
    HONE_CHECK(space != std::string::npos, "the merge '{}' is not two tokens", text);
    pairs.push_back({text.substr(0, space), text.substr(space + 1)});
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", ""},
          {"end_of_word_suffix", ""},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", ignore_merges},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(pairs)}};
}

/// The string of the token whose id is stored under tokenizer.ggml.`key`, or null.
Json special_token(const GgufFile& file, const std::string& key) {
  const Json* id = file.value("tokenizer.ggml." + key);
  if (!id) return nullptr;
  const Json& tokens = list_of(file, "tokenizer.ggml.tokens");
  HONE_CHECK(id->is_number_unsigned() && id->get<uint64_t>() < tokens.size(),
             "tokenizer.ggml.{} is not the number of one of the {} tokens", key, tokens.size());
  return tokens[id->get<size_t>()];
}

Json post_processor(const GgufFile& file) {
  const Json* add = file.value("tokenizer.ggml.add_bos_token");
  const bool with_bos = add ? *add == true : pre_tokenizer_of(file).name == "llama-bpe";
  if (!with_bos) return nullptr;
  const Json bos = special_token(file, "bos_token_id");
  HONE_CHECK(bos.is_string(), "tokenizer.ggml.add_bos_token needs tokenizer.ggml.bos_token_id");
  const Json id = *file.value("tokenizer.ggml.bos_token_id");
  const Json first = {{"SpecialToken", {{"id", bos}, {"type_id", 0}}}};
  const auto part = [](const char* name) {
    return Json{{"Sequence", {{"id", name}, {"type_id", 0}}}};
  };
  Json tokens = Json::object();
  tokens[bos.get<std::string>()] = {
      {"id", bos}, {"ids", Json::array({id})}, {"tokens", Json::array({bos})}};
  return {{"type", "TemplateProcessing"},
          {"single", Json::array({first, part("A")})},
          {"pair", Json::array({first, part("A"), part("B")})},
          {"special_tokens", std::move(tokens)}};
}

}  // namespace

Json gguf_tokenizer(const GgufFile& file) {
  const Json* model = file.value("tokenizer.ggml.model");
  HONE_CHECK(model && *model == "gpt2", "tokenizer.ggml.model is {}; known is gpt2",
             model ? print_json(*model) : "absent");
  const PreTokenizer& pre = pre_tokenizer_of(file);
  const Json& tokens = list_of(file, "tokenizer.ggml.tokens");
  const Json& types = list_of(file, "tokenizer.ggml.token_type");
  HONE_CHECK(tokens.size() == types.size(), "{} tokens have {} types", tokens.size(), types.size());
  HONE_CHECK(parse_json(print_json(tokens), "tokens") == tokens,
             "tokenizer.ggml.tokens holds text that is not UTF-8");
  const Json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", true},
                           {"trim_offsets", true},
                           {"use_regex", true}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added_tokens(tokens, types)},
          {"normalizer", pre.nfc ? Json{{"type", "NFC"}} : Json()},
          {"pre_tokenizer", split_of(pre)},
          {"post_processor", post_processor(file)},
          {"decoder", byte_level},
          {"model", bpe_model(tokens, list_of(file, "tokenizer.ggml.merges"), pre.ignore_merges)}};
}

Json gguf_tokenizer_config(const GgufFile& file) {
  Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"clean_up_tokenization_spaces", false}};
  for (const auto& [name, key] :
       {std::pair("bos_token", "bos_token_id"), std::pair("eos_token", "eos_token_id"),
        std::pair("unk_token", "unknown_token_id"), std::pair("pad_token", "padding_token_id")}) {
    if (const Json token = special_token(file, key); token.is_string()) config[name] = token;
  }
  return config;
}

}  // namespace hone::io
