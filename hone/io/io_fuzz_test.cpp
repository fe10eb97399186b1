#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "hone/base/check.h"
#include "hone/io/gguf_dequantize.h"
#include "hone/io/safetensors.h"

namespace hone::io {
namespace {

const Path kPath = Path(::testing::TempDir()) / "hone_io_fuzz";

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& value) {
  return raw<uint64_t>(value.size()) + value;
}

/// Two keys (a number, a list of strings) and a Q8_0 tensor of 2 rows of 32.
std::string valid_gguf() {
  std::string bytes = "GGUF" + raw<uint32_t>(3) + raw<uint64_t>(1) + raw<uint64_t>(2);
  bytes += text("general.alignment") + raw<uint32_t>(4) + raw<uint32_t>(32);
  bytes +=
      text("l") + raw<uint32_t>(9) + raw<uint32_t>(8) + raw<uint64_t>(2) + text("a") + text("b");
  bytes += text("t") + raw<uint32_t>(2) + raw<int64_t>(32) + raw<int64_t>(2);
  bytes += raw<uint32_t>(8) + raw<uint64_t>(0);
  bytes.resize((bytes.size() + 31) / 32 * 32);
  return bytes + std::string(2 * 34, '\1');
}

std::string valid_safetensors() {
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                             R"("b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})";
  return text(header) + std::string(32, '\1');
}

void read_gguf() {
  const GgufFile file(kPath);
  for (const GgufTensor& tensor : file.tensors()) {
    std::vector<float> values(element_count(tensor.shape).value());
    dequantize(tensor.type, tensor.data, values.size(), values.data());
  }
}

void read_safetensors() {
  const SafetensorsFile file(kPath);
  int64_t sum = 0;
  for (const TensorView& tensor : file.tensors()) {
    for (int64_t i = 0; i < tensor.bytes; ++i) sum += static_cast<uint8_t>(tensor.data[i]);
  }
  EXPECT_GE(sum, 0);
}

/// Changes up to 4 bytes (or cuts the end) 3000 times: a file is read in full or refused.
void fuzz(const std::string& valid, void (*read)()) {
  std::mt19937 random(11);
  int refused = 0;
  write_file(kPath, valid);
  EXPECT_NO_THROW(read());
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = valid;
    for (uint32_t change = random() % 4 + 1; change > 0; --change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (round % 8 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(kPath, std::ios::binary) << bytes;
    try {
      read();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(GgufFuzz, ReadsOrRefuses) {
  fuzz(valid_gguf(), read_gguf);
}
TEST(SafetensorsFuzz, ReadsOrRefuses) {
  fuzz(valid_safetensors(), read_safetensors);
}

}  // namespace
}  // namespace hone::io
