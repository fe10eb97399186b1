#include "hone/text/tokenizer.h"

#include <gtest/gtest.h>

#include "hone/base/json.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

/// A byte-level BPE tokenizer with all bytes, a few merges and two special tokens.
Tokenizer small_tokenizer() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[to_byte_aliases(std::string(1, static_cast<char>(byte)))] = byte;
  }
  int32_t next = 256;
  Json merges = Json::array();
  for (const char* merge : {"h e", "l l", "he ll", "hell o", "Ġ w", "o r"}) {
    const std::string text = merge;
    const size_t blank = text.find(' ');
    vocab[text.substr(0, blank) + text.substr(blank + 1)] = next++;
    merges.push_back(merge);
  }
  const Json json = {
      {"added_tokens",
       {{{"id", 300}, {"content", "<|end|>"}, {"special", true}},
        {{"id", 301}, {"content", "<tool>"}, {"special", false}}}},
      {"pre_tokenizer",
       {{"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Digits"}, {"individual_digits", true}},
          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}}}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}},
      {"decoder", {{"type", "ByteLevel"}}}};
  return Tokenizer::from_json(json.dump());
}

TEST(Tokenizer, MergesByRankAndSplitsAsGpt2Does) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("hello"), (std::vector<int32_t>{259}));
  EXPECT_EQ(tokenizer.encode("hello world"), (std::vector<int32_t>{259, 260, 261, 108, 100}));
  EXPECT_EQ(tokenizer.encode("12"), (std::vector<int32_t>{'1', '2'}));
}

TEST(Tokenizer, UntrustedTextNeverBecomesSpecialTokens) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode("<|end|>"), (std::vector<int32_t>{300}));
  const std::vector<ByteSpan> untrusted{{0, 7}};
  const auto ids = tokenizer.encode_with_offsets("<|end|><|end|>", false, untrusted).ids;
  EXPECT_EQ(ids.back(), 300);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 300), 1);
  const std::vector<ByteSpan> part{{1, 2}};
  EXPECT_NE(tokenizer.encode_with_offsets("<|end|>", false, part).ids.size(), 1u);
  EXPECT_EQ(tokenizer.encode_with_offsets("<tool>", false, untrusted).ids,
            (std::vector<int32_t>{301}));
}

TEST(Tokenizer, OffsetsAreBytesOfTheText) {
  const Tokenizer tokenizer = small_tokenizer();
  const auto encoding = tokenizer.encode_with_offsets("hello é<|end|>", false);
  ASSERT_EQ(encoding.ids.size(), encoding.offsets.size());
  int64_t end = 0;
  for (const auto& offset : encoding.offsets) {
    EXPECT_EQ(offset.begin, end);
    end = offset.end;
  }
  EXPECT_EQ(end, 15);
}

TEST(Tokenizer, EveryTextComesBackWholeAndInPieces) {
  const Tokenizer tokenizer = small_tokenizer();
  for (const std::string text :
       {"hello world", "héllo  wörld\n\n x", "日本語 123 🙂🙂", "", " ", "'s 'll"}) {
    const auto ids = tokenizer.encode(text);
    EXPECT_EQ(tokenizer.decode(ids), text);
    StreamDecoder decoder(tokenizer);
    std::string joined;
    for (int32_t id : ids) {
      const std::string piece = decoder.push(id);
      EXPECT_EQ(valid_utf8_prefix(piece), piece.size());
      joined += piece;
    }
    EXPECT_EQ(joined + decoder.finish(), text);
  }
}

TEST(Tokenizer, BrokenCharactersDecodeAsInRust) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{0xF0, 0x9F, 'a'}),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{0x80, 0x80}), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace hone::text
