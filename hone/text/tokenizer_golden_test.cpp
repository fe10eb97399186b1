// Ids and decoded texts equal Python tokenizers' (tools/golden/tokenizer.py) on a corpus that this
// file and the script generate with the same integer generator.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "hone/base/cpu.h"
#include "hone/base/files.h"
#include "hone/text/json_fields.h"
#include "hone/text/tokenizer.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

constexpr std::pair<char32_t, char32_t> kRanges[] = {
    {0x61, 0x7A},       {0x41, 0x5A},       {0x21, 0x7E},       {0xA0, 0x17F},     {0x300, 0x36F},
    {0x391, 0x3A1},     {0x3B1, 0x3C9},     {0x410, 0x44F},     {0x5D0, 0x5EA},    {0x621, 0x64A},
    {0x64B, 0x652},     {0x905, 0x939},     {0x93E, 0x94C},     {0xE01, 0xE3A},    {0x1E00, 0x1EFF},
    {0x2010, 0x2027},   {0x2070, 0x2071},   {0x2160, 0x2188},   {0x2200, 0x22FF},  {0x3041, 0x3096},
    {0x30A1, 0x30FA},   {0x4E00, 0x4FFF},   {0xAC00, 0xACFF},   {0xFB00, 0xFB06},  {0xFF01, 0xFF5E},
    {0x1F600, 0x1F64F}, {0x1F3FB, 0x1F3FF}, {0x1D400, 0x1D454}, {0x20000, 0x200FF}};
using namespace std::string_view_literals;
constexpr std::string_view kSnippets[] = {"the",
                                          "Hello",
                                          "world",
                                          "token",
                                          "'s",
                                          "'S",
                                          "'\u017f",
                                          "'re",
                                          "'LL",
                                          "don't",
                                          "I'VE",
                                          "iPhone",
                                          "HTMLParser",
                                          "camelCase",
                                          "if (x == 1) {",
                                          "return a[i]->b;",
                                          "\n",
                                          "\r\n",
                                          "\n\n\n",
                                          "  ",
                                          "    ",
                                          "\t",
                                          " \n ",
                                          "\u00a0",
                                          "\u3000",
                                          "\u2028",
                                          "\xC2\x85",
                                          "123",
                                          "4567890",
                                          "3.14",
                                          "\u0661\u0662\u0663",
                                          "\u00bd",
                                          "//",
                                          "/\n/",
                                          "...\n",
                                          "<|end|>",
                                          "<s>",
                                          " <mask> ",
                                          "[X]",
                                          "\u2581",
                                          "_",
                                          "\u200d",
                                          "\ufeff",
                                          "\u0130",
                                          "\u00df",
                                          "e\u0301",
                                          "\u1e9b\u0323",
                                          "\U0001f468\u200d\U0001f469\u200d\U0001f467",
                                          "\ufffd",
                                          "a\0b"sv,
                                          "ing",
                                          "tion",
                                          " the",
                                          " of",
                                          ",",
                                          ".",
                                          "!?",
                                          "--",
                                          "<0x41>"};
constexpr int kLines = 10000, kBlock = 100;

std::vector<std::string> corpus() {
  uint64_t state = 1;
  auto draw = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  std::vector<std::string> lines(kLines);
  for (std::string& line : lines) {
    const uint64_t fragments = 1 + draw(12);
    for (uint64_t i = 0; i < fragments; ++i) {
      const uint64_t kind = draw(4);
      if (kind == 0) {
        const auto [low, high] = kRanges[draw(std::size(kRanges))];
        const uint64_t length = 1 + draw(6);
        for (uint64_t j = 0; j < length; ++j) append_utf8(line, low + draw(high - low + 1));
      } else if (kind == 1) {
        line += ' ';
      } else {
        line += kSnippets[draw(std::size(kSnippets))];
      }
    }
  }
  return lines;
}

void fnv(uint64_t& state, std::string_view bytes) {
  for (const char c : bytes) state = (state ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
}

std::string block_hash(const Tokenizer& tokenizer, std::span<const std::string> lines) {
  uint64_t state = 0xCBF29CE484222325u;
  for (const std::string& line : lines) {
    const auto ids = tokenizer.encode(line);
    for (const int32_t id : ids)
      for (int shift = 0; shift < 32; shift += 8)
        fnv(state, std::string(1, static_cast<char>(id >> shift)));
    fnv(state, tokenizer.decode(ids, false));
  }
  return fmt::format("{:016x}", state);
}

const Fields& golden() {
  static const Fields document =
      Fields::parse(read_file(Path(HONE_SOURCE_DIR) / "tests/golden/data/tokenizer.json"));
  return document["cases"];
}

void expect_case(const Tokenizer& tokenizer, const Fields& expected) {
  const auto lines = corpus();
  for (const Fields& example : expected["examples"]) {
    const auto ids = tokenizer.encode(lines[example["line"].get<size_t>()]);
    EXPECT_EQ(ids, example["ids"].get<std::vector<int32_t>>());
    EXPECT_EQ(tokenizer.decode(ids, false), example["text"].get<std::string>());
  }
  int wrong = 0;
  for (int first = 0; first < kLines; first += kBlock)
    wrong += block_hash(tokenizer, std::span(lines).subspan(first, kBlock)) !=
             expected["hashes"][first / kBlock].get<std::string>();
  EXPECT_EQ(wrong, 0) << "of " << kLines / kBlock << " blocks";
}

TEST(TokenizerGolden, EqualsPythonTokenizers) {
  for (const auto& [name, expected] : golden().items()) {
    if (!expected.contains("tokenizer")) continue;
    SCOPED_TRACE(name);
    expect_case(Tokenizer::from_json(expected["tokenizer"].dump(), name), expected);
  }
}

TEST(TokenizerGolden, EqualsPythonTokenizersOnSmolLm2) {
  const auto folder = environment("HONE_TEST_MODELS");
  const Path path = Path(folder.value_or("")) / "smollm2" / "tokenizer.json";
  if (!folder || !std::filesystem::exists(path))
    GTEST_SKIP() << "HONE_TEST_MODELS names no folder with smollm2/tokenizer.json";
  expect_case(Tokenizer::from_file(path), golden()["smollm2"]);
}

TEST(TokenizerGolden, StreamDecoderGivesWhatDecodeGives) {
  const auto lines = corpus();
  for (const auto& [name, expected] : golden().items()) {
    if (!expected.contains("tokenizer")) continue;
    SCOPED_TRACE(name);
    const auto tokenizer = Tokenizer::from_json(expected["tokenizer"].dump(), name);
    uint64_t state = 7;
    for (int i = 0; i < 300; ++i) {
      auto ids = tokenizer.encode(lines[i]);
      for (int j = 0; j < 20; ++j) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ids.push_back(static_cast<int32_t>((state >> 33) % tokenizer.vocabulary_size()));
      }
      StreamDecoder stream(tokenizer, false);
      std::string text;
      for (const int32_t id : ids) {
        const std::string piece = stream.push(id);
        ASSERT_EQ(valid_utf8_prefix(piece), piece.size());
        text += piece;
      }
      ASSERT_EQ(text + stream.finish(), tokenizer.decode(ids, false)) << "line " << i;
    }
  }
}

TEST(TokenizerGolden, ByteLevelComesBackWithExactOffsets) {
  const auto lines = corpus();
  for (const char* name : {"smol", "deepseek", "llama3", "o200k", "other"}) {
    SCOPED_TRACE(name);
    const auto tokenizer = Tokenizer::from_json(golden()[name]["tokenizer"].dump(), name);
    for (const std::string& line : lines) {
      const Encoding encoding = tokenizer.encode_with_offsets(line, true);
      ASSERT_EQ(tokenizer.encode(line), encoding.ids);
      int64_t at = 0;
      for (const ByteSpan& span : encoding.offsets) {
        ASSERT_EQ(span.begin, at);
        at = span.end;
      }
      ASSERT_EQ(at, static_cast<int64_t>(line.size()));
      // <mask> takes the spaces around it and does not give them back.
      if (line.find("<mask>") != line.npos) continue;
      ASSERT_EQ(tokenizer.decode(encoding.ids, false), line);
    }
  }
}

TEST(TokenizerGolden, SpecialTokensAreNotRecognisedInUntrustedText) {
  const auto tokenizer = Tokenizer::from_json(golden()["smol"]["tokenizer"].dump());
  const std::string text = "a<|end|>b<|end|>";
  const int32_t end = *tokenizer.token_to_id("<|end|>");
  const ByteSpan untrusted[] = {{7, 10}};
  auto count = [&](const Encoding& e) { return std::count(e.ids.begin(), e.ids.end(), end); };
  EXPECT_EQ(count(tokenizer.encode_with_offsets(text, true)), 2);
  EXPECT_EQ(count(tokenizer.encode_with_offsets(text, true, std::vector<ByteSpan>{{0, 16}})), 0);
  EXPECT_EQ(count(tokenizer.encode_with_offsets(text, true, untrusted)), 0);
  EXPECT_EQ(count(tokenizer.encode_with_offsets(text, true, std::vector<ByteSpan>{{8, 10}})), 1);
}

TEST(TokenizerGolden, ThreadsAgree) {
  const auto tokenizer = Tokenizer::from_json(golden()["llama3"]["tokenizer"].dump());
  const auto lines = corpus();
  const std::string expected = block_hash(tokenizer, lines);
  std::array<std::string, 4> got;
  {
    std::vector<std::jthread> threads;
    for (std::string& mine : got)
      threads.emplace_back([&] { mine = block_hash(tokenizer, lines); });
  }
  for (const std::string& mine : got) EXPECT_EQ(mine, expected);
}

}  // namespace
}  // namespace hone::text
