#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/text/tokenizer.h"

namespace hone::text {
namespace {

/// The message of the input error that loading `json` gives.
std::string load_error(const std::string& json) {
  try {
    Tokenizer::from_json(json, "t.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

std::string with_model(const std::string& more) {
  return R"({"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"})" + more + "}";
}

std::string with_bpe(const std::string& more) {
  return R"({"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2})" + more + "}}";
}

TEST(TokenizerError, NamesWhatIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"{", "no JSON"},
      {"[]", "must be a JSON object"},
      {"{}", "'model'"},
      {R"({"model":{"vocab":{}}})", "'type'"},
      {R"({"model":{"type":"Mystery"}})", "'Mystery'"},
      {R"({"model":{"type":"WordLevel","vocab":{"a":"x"},"unk_token":"a"}})", "'a'"},
      {R"({"model":{"type":"WordLevel","vocab":{"a":-1},"unk_token":"a"}})", "out of range"},
      {R"({"model":{"type":"WordPiece","vocab":{}}})", "'continuing_subword_prefix'"},
      {R"({"model":{"type":"Unigram","vocab":[["a"]]}})", "[piece, score]"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0]],"unk_id":3}})", "unk_id 3"},
      {with_bpe(""), "'merges'"},
      {with_bpe(R"(,"merges":["a"])"), "merge 0"},
      {with_bpe(R"(,"merges":["a c"])"), "'c'"},
      {with_bpe(R"(,"merges":[["a","b"],["b","a"]])"), "'ba'"},
      {with_bpe(R"(,"merges":[],"dropout":0.1)"), "dropout"},
      {with_model(R"(,"normalizer":{"type":"NFX"})"), "'NFX'"},
      {with_model(R"(,"normalizer":{"type":"Replace","content":""})"), "'String'"},
      {with_model(R"(,"normalizer":{"type":"Precompiled","precompiled_charsmap":"!"})"), "base64"},
      {with_model(R"(,"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Q"}]})"), "'Q'"},
      {with_model(
           R"(,"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Removed"})"),
       "'('"},
      {with_model(R"(,"pre_tokenizer":{"type":"Split","pattern":{"String":"x"},"behavior":"Z"})"),
       "'Z'"},
      {with_model(R"(,"decoder":{"type":"Nope"})"), "'Nope'"},
      {with_model(R"(,"decoder":{"type":"Strip","content":" ","start":1})"), "'stop'"},
      {with_model(R"(,"post_processor":{"type":"Nope"})"), "'Nope'"},
      {with_model(R"(,"post_processor":{"type":"TemplateProcessing","single":[]})"), "text"},
      {with_model(R"(,"added_tokens":[{"content":"x"}])"), "'id'"}};
  for (const auto& [json, part] : cases) {
    const std::string message = load_error(json);
    EXPECT_NE(message.find(part), std::string::npos) << json << "\n" << message;
    EXPECT_TRUE(message.starts_with("t.json")) << message;
  }
}

TEST(TokenizerError, RefusesTextThatIsNotUtf8) {
  const auto tokenizer = Tokenizer::from_json(with_model(""));
  for (const char* text : {"a\xFF", "\xC3", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\x80"})
    EXPECT_THROW(tokenizer.encode(text), Error) << text;
}

TEST(TokenizerError, RefusesIdsThatAreNoTokens) {
  const auto tokenizer = Tokenizer::from_json(with_model(""));
  EXPECT_THROW(tokenizer.id_to_token(1), Error);
  EXPECT_THROW(tokenizer.id_to_token(-1), Error);
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{-1, 0, 99}), "a");
}

}  // namespace
}  // namespace hone::text
