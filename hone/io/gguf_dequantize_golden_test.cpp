#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "hone/io/gguf_dequantize.h"

namespace hone::io {
namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

const GgufBlock* block_named(const std::string& name) {
  for (uint32_t type = 0; type < 64; ++type) {
    if (gguf_block(type) && gguf_block(type)->name == name) return gguf_block(type);
  }
  return nullptr;
}

TEST(GgufDequantizeGolden, EveryTypeGivesTheBitsOfThePythonPackage) {
  std::ifstream file(HONE_SOURCE_DIR "/tests/golden/data/gguf_blocks.txt");
  std::string name, blocks_hex, values_hex;
  int types = 0;
  for (; file >> name >> blocks_hex >> values_hex; ++types) {
    const GgufBlock* block = block_named(name);
    ASSERT_TRUE(block) << name;
    const std::string blocks = from_hex(blocks_hex), expected = from_hex(values_hex);
    std::vector<float> values(blocks.size() / block->bytes * block->elements);
    ASSERT_EQ(values.size() * sizeof(float), expected.size()) << name;
    dequantize(block->type, blocks.data(), values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i) {
      float value;
      std::memcpy(&value, expected.data() + i * sizeof value, sizeof value);
      ASSERT_EQ(values[i], value) << name << " element " << i;
    }
  }
  EXPECT_EQ(types, 14);
}

}  // namespace
}  // namespace hone::io
