#pragma once

#include <map>
#include <span>

#include "hone/base/files.h"
#include "hone/base/json.h"
#include "hone/io/tensor_view.h"

namespace hone::io {

/// A safetensors file in memory: 8 bytes of header length (little endian), a JSON header
/// {name: {dtype, shape, data_offsets}}, then the bytes. Every malformed header is an input error:
/// too long, not JSON, an unknown dtype, offsets that overlap, leave holes or do not fit the shape.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const Path& path);

  /// All tensors in the order of their bytes; they live as long as this object.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  /// The tensor of this name; an input error names the file where it is missing.
  const TensorView& tensor(const std::string& name) const;
  /// The same, or nullptr.
  const TensorView* find(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void read_entry(const std::string& name, const Json& entry, const char* data, int64_t size);
  void check_cover(int64_t size) const;

  Path path_;
  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t> index_;
  std::map<std::string, std::string> metadata_;
};

/// Writes a safetensors file: temp, fsync, rename. The bytes are streamed, never copied whole.
void write_safetensors(const Path& path, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hone::io
