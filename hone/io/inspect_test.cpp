#include "hone/io/inspect.h"

#include <gtest/gtest.h>

#include "hone/base/check.h"
#include "hone/io/gguf_import.h"
#include "hone/io/tiny_gguf.h"

namespace hone::io {
namespace {

using namespace testing;  // the tiny files

const Path kFile = Path(::testing::TempDir()) / "hone_inspect.gguf";
const Path kFolder = Path(::testing::TempDir()) / "hone_inspect";

class Inspect : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(kFile, tiny_llama().bytes());
    import_gguf(kFile, kFolder);
  }
};

TEST_F(Inspect, TheThreeKindsAgree) {
  const Json gguf = inspect(kFile), folder = inspect(kFolder);
  const Json weights = inspect(kFolder / "model.safetensors");
  EXPECT_EQ(gguf["kind"], "GGUF");
  EXPECT_EQ(gguf["architecture"], "llama");
  EXPECT_EQ(folder["architecture"], "LlamaForCausalLM");
  const int64_t parameters = 6 * 8 + 3 * 8 + 2 * 8 * 8 + 2 * 4 * 8 + 3 * 16 * 8;
  for (const Json* one : {&gguf, &folder, &weights}) {
    EXPECT_EQ((*one)["parameters"], parameters);
    EXPECT_EQ((*one)["tensors"].size(), 11);
  }
  for (const Json* one : {&gguf, &folder}) {
    EXPECT_EQ((*one)["layers"], 1);
    EXPECT_EQ((*one)["hidden"], 8);
    EXPECT_EQ((*one)["heads"], 2);
    EXPECT_EQ((*one)["kv_heads"], 1);
    EXPECT_EQ((*one)["vocabulary"], 6);
    EXPECT_EQ((*one)["context"], 64);
    EXPECT_EQ((*one)["tokenizer_size"], 6);
    EXPECT_EQ((*one)["chat_template"], true);
  }
  EXPECT_EQ(gguf["types"], Json({{"F32", parameters}}));
  EXPECT_EQ(folder["types"], Json({{"BF16", parameters}}));
}

TEST_F(Inspect, PrintsALineForEachFactAndNoTensorNames) {
  const std::string text = print_inspection(inspect(kFile));
  EXPECT_NE(text.find("architecture   llama\n"), std::string::npos) << text;
  EXPECT_NE(text.find("tensors        11\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("blk.0"), std::string::npos) << text;
}

TEST_F(Inspect, RefusesOtherFilesAndBrokenTokenizers) {
  EXPECT_THROW(inspect(kFolder / "config.json"), Error);
  EXPECT_THROW(inspect(kFolder / "missing.gguf"), Error);
  for (const char* broken : {"[]", "{}", R"({"model": 1})", R"({"model": {"vocab": 3}})"}) {
    write_file(kFolder / "tokenizer.json", broken);
    EXPECT_THROW(inspect(kFolder), Error) << broken;
  }
}

}  // namespace
}  // namespace hone::io
