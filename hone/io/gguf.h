#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/files.h"
#include "hone/base/json.h"

namespace hone::io {

/// Type ids of ggml.h that a GGUF tensor may have here.
enum class GgufType : uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  iq4_nl = 20,
  iq4_xs = 23,
  bf16 = 30
};

/// How many elements a block holds and in how many bytes.
struct GgufBlock {
  GgufType type;
  std::string_view name;
  int64_t elements, bytes;
};

/// The block of a type id; nullptr when the type is not supported.
const GgufBlock* gguf_block(uint32_t type);
/// The supported types' names, for messages.
std::string gguf_type_names();

/// A tensor in the mapped file; sizes are outermost first (the reverse of ggml's ne).
struct GgufTensor {
  std::string name;
  GgufType type;
  std::vector<int64_t> shape;
  const char* data;
  int64_t bytes;
};

/// A mapped GGUF file of version 2 or 3 (little-endian). A malformed file is an input error that
/// names the file and the field. The tensors' data lives as long as this.
class GgufFile {
 public:
  explicit GgufFile(const Path& path);
  /// The key-value pairs; arrays are JSON arrays, strings are kept byte for byte.
  const std::map<std::string, Json>& metadata() const { return metadata_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  /// The value or tensor of that name, or nullptr.
  const Json* value(const std::string& key) const;
  const GgufTensor* tensor(const std::string& name) const;

 private:
  MappedFile file_;
  std::map<std::string, Json> metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, size_t> index_;
};

}  // namespace hone::io
