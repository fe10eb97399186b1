#include "hone/io/gguf_tokenizer.h"

#include <array>

#include "hone/base/check.h"
#include "hone/io/score_merges.h"

namespace hone::io {
namespace {

constexpr int kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4;

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
    const bool special = types[id] == kControl || types[id] == kUnknown;
    if (!special && types[id] != kUserDefined) continue;
    added.push_back({{"id", id},
                     {"content", tokens[id]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", special}});
  }
  return added;
}

Json vocabulary_of(const Json& tokens) {
  Json vocabulary = Json::object();
  auto& entries = vocabulary.get_ref<Json::object_t&>();  // appended: a look-up here is linear
  for (size_t id = 0; id < tokens.size(); ++id) {
    HONE_CHECK(tokens[id].is_string(), "tokenizer.ggml.tokens[{}] is not a string", id);
    entries.emplace_back(tokens[id].get<std::string>(), id);
  }
  return vocabulary;
}

Json bpe_model(const Json& tokens, Json merges) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", ""},
          {"end_of_word_suffix", ""},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocabulary_of(tokens)},
          {"merges", std::move(merges)}};
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

/// Puts the begin token before a text where the file asks for it or, silent, `otherwise` holds.
Json post_processor(const GgufFile& file, bool otherwise) {
  const Json* add = file.value("tokenizer.ggml.add_bos_token");
  const bool with_bos = add ? *add == true : otherwise;
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

/// The parts of tokenizer.json that depend on the kind of vocabulary.
struct TokenizerParts {
  Json normalizer, pre_tokenizer, post_processor, decoder, model;
};

TokenizerParts byte_level_bpe(const GgufFile& file, const Json& tokens) {
  const PreTokenizer& pre = pre_tokenizer_of(file);
  Json merges = Json::array();
  for (const Json& merge : list_of(file, "tokenizer.ggml.merges")) {
    HONE_CHECK(merge.is_string(), "tokenizer.ggml.merges holds a value that is not a string");
    const auto& text = merge.get_ref<const std::string&>();
    const size_t space = text.find(' ', 1);
    HONE_CHECK(space != std::string::npos, "the merge '{}' is not two tokens", text);
    merges.push_back({text.substr(0, space), text.substr(space + 1)});
  }
  Json model = bpe_model(tokens, std::move(merges));
  model["ignore_merges"] = pre.ignore_merges;
  return {pre.nfc ? Json{{"type", "NFC"}} : Json(), split_of(pre),
          post_processor(file, pre.name == "llama-bpe"),
          Json{{"type", "ByteLevel"},
               {"add_prefix_space", true},
               {"trim_offsets", true},
               {"use_regex", true}},
          std::move(model)};
}

/// BPE of SentencePiece as transformers writes it for Llama 2: spaces are U+2581, one stands before
/// the text, bytes outside of the vocabulary are tokens of their own.
TokenizerParts sentencepiece_bpe(const GgufFile& file, const Json& tokens, const Json& types) {
  const Json& scores = list_of(file, "tokenizer.ggml.scores");
  HONE_CHECK(tokens.size() == scores.size(), "{} tokens have {} scores", tokens.size(),
             scores.size());
  std::vector<ScoredToken> scored;
  for (size_t id = 0; id < tokens.size(); ++id) {
    HONE_CHECK(tokens[id].is_string() && scores[id].is_number(),
               "token {} is not a string with a score", id);
    scored.push_back({tokens[id].get<std::string>(), scores[id].get<double>(),
                      types[id] == kNormal || types[id] == kUserDefined});
  }
  Json merges = Json::array();
  for (const auto& [left, right] : merges_of(scored)) merges.push_back({left, right});
  Json model = bpe_model(tokens, std::move(merges));
  model["unk_token"] = special_token(file, "unknown_token_id");
  model["fuse_unk"] = true;
  model["byte_fallback"] = true;
  constexpr const char* kSpace = "\u2581";
  const Json* prefix = file.value("tokenizer.ggml.add_space_prefix");
  const bool with_prefix = !prefix || *prefix == true;
  Json normalizers = Json::array(), decoders = Json::array();
  if (with_prefix) normalizers.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
  normalizers.push_back({{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpace}});
  decoders.push_back({{"type", "Replace"}, {"pattern", {{"String", kSpace}}}, {"content", " "}});
  decoders.push_back({{"type", "ByteFallback"}});
  decoders.push_back({{"type", "Fuse"}});
  if (with_prefix) {
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  return {Json{{"type", "Sequence"}, {"normalizers", std::move(normalizers)}}, nullptr,
          post_processor(file, true), Json{{"type", "Sequence"}, {"decoders", std::move(decoders)}},
          std::move(model)};
}

}  // namespace

Json gguf_tokenizer(const GgufFile& file) {
  const Json* model = file.value("tokenizer.ggml.model");
  HONE_CHECK(model && (*model == "gpt2" || *model == "llama"),
             "tokenizer.ggml.model is {}; known are gpt2 and llama",
             model ? print_json(*model) : "absent");
  const Json& tokens = list_of(file, "tokenizer.ggml.tokens");
  const Json& types = list_of(file, "tokenizer.ggml.token_type");
  HONE_CHECK(tokens.size() == types.size(), "{} tokens have {} types", tokens.size(), types.size());
  HONE_CHECK(parse_json(print_json(tokens), "tokens") == tokens,
             "tokenizer.ggml.tokens holds text that is not UTF-8");
  TokenizerParts parts =
      *model == "gpt2" ? byte_level_bpe(file, tokens) : sentencepiece_bpe(file, tokens, types);
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added_tokens(tokens, types)},
          {"normalizer", std::move(parts.normalizer)},
          {"pre_tokenizer", std::move(parts.pre_tokenizer)},
          {"post_processor", std::move(parts.post_processor)},
          {"decoder", std::move(parts.decoder)},
          {"model", std::move(parts.model)}};
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
