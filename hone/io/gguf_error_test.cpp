#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/io/gguf.h"
#include "hone/io/tiny_gguf.h"

namespace hone::io {
namespace {

using namespace testing;  // the tiny files

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What the reader says about these bytes; empty when it takes them.
std::string refusal(const std::string& bytes) {
  const Path path = Path(::testing::TempDir()) / "hone_gguf_error.gguf";
  write_file(path, bytes);
  try {
    const GgufFile file(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_PRED2(has, error.what(), "hone_gguf_error.gguf");
    return error.what();
  }
  return "";
}

TinyGguf one_tensor(TinyTensor tensor) {
  TinyGguf file;
  file.tensors = {std::move(tensor)};
  return file;
}

TEST(GgufError, AcceptsWhatIsRight) {
  EXPECT_EQ(refusal(tiny_llama().bytes()), "");
  TinyGguf second = tiny_llama();
  second.version = 2;
  EXPECT_EQ(refusal(second.bytes()), "");
}

TEST(GgufError, MagicAndVersion) {
  EXPECT_PRED2(has, refusal(""), "not a GGUF file");
  EXPECT_PRED2(has, refusal("GGML----"), "not a GGUF file");
  TinyGguf file;
  file.version = 4;
  EXPECT_PRED2(has, refusal(file.bytes()), "GGUF version 4, known are 2 and 3");
}

TEST(GgufError, EveryCutOfTheFile) {
  TinyGguf file = tiny_llama();
  const std::string whole = file.bytes();
  for (size_t size = 0; size + 32 < whole.size(); size += 7) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  }
}

TEST(GgufError, Keys) {
  TinyGguf file;
  file.keys = {{"a", u32_value(1)}, {"a", u32_value(2)}};
  EXPECT_PRED2(has, refusal(file.bytes()), "key 'a' occurs twice");
  file.keys = {{"a", raw<uint32_t>(13) + raw<uint64_t>(0)}};
  EXPECT_PRED2(has, refusal(file.bytes()), "key 'a' has the unknown or nested value type 13");
  const std::string inner = raw<uint32_t>(9) + raw<uint64_t>(1);
  file.keys = {{"a", raw<uint32_t>(9) + inner + inner + raw<uint32_t>(0)}};
  EXPECT_PRED2(has, refusal(file.bytes()), "key 'a' has the unknown or nested value type 9");
  file.keys = {{"a", raw<uint32_t>(9) + raw<uint32_t>(0) + raw<uint64_t>(~0ull)}};
  EXPECT_PRED2(has, refusal(file.bytes()), "key 'a' has 18446744073709551615 elements");
  file.keys = {{"a", raw<uint32_t>(8) + raw<uint64_t>(~0ull)}};
  EXPECT_PRED2(has, refusal(file.bytes()), "wants 18446744073709551615 bytes");
}

TEST(GgufError, Alignment) {
  TinyGguf file;
  for (uint32_t alignment : {0u, 24u, 1u << 21}) {
    file.set("general.alignment", u32_value(alignment));
    EXPECT_PRED2(has, refusal(file.bytes()), "must be a power of two") << alignment;
  }
  file.set("general.alignment", text_value("32"));
  EXPECT_PRED2(has, refusal(file.bytes()), "general.alignment is not a number");
}

TEST(GgufError, TensorSizes) {
  EXPECT_PRED2(has, refusal(one_tensor({"t", {1, 1, 1, 1, 1}, "0000"}).bytes()),
               "has 5 dimensions, at most 4");
  EXPECT_PRED2(has, refusal(one_tensor({"t", {1ll << 40, 1ll << 40}, ""}).bytes()),
               "must not overflow");
  EXPECT_PRED2(has, refusal(one_tensor({"t", {1ll << 62}, ""}).bytes()), "overflows 64 bits");
  EXPECT_PRED2(has, refusal(one_tensor({"t", {-4}, ""}).bytes()), "must not overflow");
  EXPECT_PRED2(has, refusal(one_tensor({"t", {2, 48}, std::string(102, '0'), 8}).bytes()),
               "rows of 48 must be whole blocks of 32");
}

TEST(GgufError, TensorTypesNamesAndPlaces) {
  EXPECT_PRED2(has, refusal(one_tensor({"t", {256}, "", 16}).bytes()),
               "type 16 is not supported; known are F32 F16 BF16 Q4_0");
  TinyGguf twice = one_tensor(counting("t", {8}, 0));
  twice.tensors.push_back(counting("t", {8}, 0));
  EXPECT_PRED2(has, refusal(twice.bytes()), "tensor 't' occurs twice");
  EXPECT_PRED2(has, refusal(one_tensor({"t", {64}, "0000"}).bytes()),
               "must be aligned to 32 and lie in the 32 bytes of data");
}

}  // namespace
}  // namespace hone::io
