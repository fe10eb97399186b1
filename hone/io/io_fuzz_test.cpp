#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "hone/base/check.h"
#include "hone/io/gguf_dequantize.h"
#include "hone/io/gguf_import.h"
#include "hone/io/inspect.h"
#include "hone/io/safetensors.h"
#include "hone/io/tiny_gguf.h"

namespace hone::io {
namespace {

using namespace testing;  // the tiny files

const Path kPath = Path(::testing::TempDir()) / "hone_io_fuzz.gguf";
const Path kFolder = Path(::testing::TempDir()) / "hone_io_fuzz";

/// A llama with a Q8_0 tensor among its own.
std::string valid_gguf() {
  TinyGguf file = tiny_llama();
  file.set("general.alignment", u32_value(32));
  file.tensors.push_back({"t", {2, 32}, std::string(2 * 34, '\1'), 8});
  return file.bytes();
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

void import() {
  import_gguf(kPath, kFolder);
}

void inspect_gguf() {
  EXPECT_NE(print_inspection(inspect(kPath)), "");
}

void read_safetensors() {
  const SafetensorsFile file(kPath);
  int64_t sum = 0;
  for (const TensorView& tensor : file.tensors()) {
    for (int64_t i = 0; i < tensor.bytes; ++i) sum += static_cast<uint8_t>(tensor.data[i]);
  }
  EXPECT_GE(sum, 0);
}

/// Changes up to 4 bytes (or cuts the end) `rounds` times: a file is read in full or refused.
void fuzz(const std::string& valid, void (*read)(), int rounds) {
  std::mt19937 random(11);
  int refused = 0;
  write_file(kPath, valid);
  EXPECT_NO_THROW(read());
  for (int round = 0; round < rounds; ++round) {
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
  EXPECT_GT(refused, rounds / 10);
}

TEST(GgufFuzz, ReadsOrRefuses) {
  fuzz(valid_gguf(), read_gguf, 3000);
}
TEST(GgufFuzz, ImportsOrRefuses) {
  fuzz(tiny_llama().bytes(), import, 500);
}
TEST(GgufFuzz, InspectsOrRefuses) {
  fuzz(valid_gguf(), inspect_gguf, 3000);
}
TEST(SafetensorsFuzz, ReadsOrRefuses) {
  fuzz(valid_safetensors(), read_safetensors, 3000);
}

}  // namespace
}  // namespace hone::io
