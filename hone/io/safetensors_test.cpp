#include "hone/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hone/base/check.h"

namespace hone::io {
namespace {

const Path kPath = Path(::testing::TempDir()) / "hone_safetensors_test.safetensors";

void write_header(std::string text, size_t data_bytes) {
  const uint64_t size = text.size();
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  write_file(kPath, bytes + text + std::string(data_bytes, '\0'));
}

std::string refusal() {
  try {
    SafetensorsFile file(kPath);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  const uint16_t half = 0x3c00;
  const std::vector<TensorView> tensors{
      {"b", ElementType::f32, {2, 3}, reinterpret_cast<const char*>(values), 24},
      {"a", ElementType::f16, {}, reinterpret_cast<const char*>(&half), 2},
      {"empty", ElementType::i64, {0, 4}, nullptr, 0}};
  write_safetensors(kPath, tensors, {{"format", "pt"}});
  SafetensorsFile file(kPath);
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.find("b")->shape, (std::vector<int64_t>{2, 3}));
  std::vector<float> b(6);
  to_f32(*file.find("b"), b.data());
  EXPECT_EQ(b, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  uint16_t a = 0;
  to_bf16(*file.find("a"), &a);
  EXPECT_EQ(a, 0x3f80);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST(Safetensors, MalformedHeadersAreRefused) {
  const auto expect = [](const char* header, size_t bytes, const char* message) {
    write_header(header, bytes);
    EXPECT_NE(refusal().find(message), std::string::npos) << header << " -> " << refusal();
  };
  expect("[]", 0, "not a JSON object");
  expect(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]})", 1, "not valid JSON");
  expect(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
         R"("a":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})",
         2, "names 'a' twice");
  expect(R"({"a":{"dtype":"Q9","shape":[1],"data_offsets":[0,1]}})", 1, "unknown dtype 'Q9'");
  expect(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})", 1,
         "do not lie in the 1 bytes");
  expect(R"({"a":{"dtype":"I8","shape":[-1],"data_offsets":[0,1]}})", 1, "not a size");
  expect(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})", 3, "needs 4 bytes");
  expect(R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0,
         "overflows");
  expect(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})", 2, "hole");
  expect(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},)"
         R"("b":{"dtype":"I8","shape":[2],"data_offsets":[1,3]}})",
         3, "overlap");
  expect(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 2, "belong to no tensor");
  write_file(kPath, std::string(8, '\xff'));
  EXPECT_NE(refusal().find("does not fit"), std::string::npos);
  write_file(kPath, "abc");
  EXPECT_NE(refusal().find("too few"), std::string::npos);
}

}  // namespace
}  // namespace hone::io
