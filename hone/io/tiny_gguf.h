#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hone/io/tensor_view.h"

/// GGUF files for tests, field by field.
namespace hone::io::testing {

/// The bytes of a number as the (little-endian) machine holds it.
template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string text(const std::string& value) {
  return raw<uint64_t>(value.size()) + value;
}

/// Values as a key-value pair holds them: type id, then bytes.
inline std::string u32_value(uint32_t value) {
  return raw<uint32_t>(4) + raw(value);
}
inline std::string f32_value(float value) {
  return raw<uint32_t>(6) + raw(value);
}
inline std::string text_value(const std::string& value) {
  return raw<uint32_t>(8) + text(value);
}
inline std::string list_value(const std::vector<std::string>& values) {
  std::string bytes = raw<uint32_t>(9) + raw<uint32_t>(8) + raw<uint64_t>(values.size());
  for (const std::string& value : values) bytes += text(value);
  return bytes;
}
inline std::string list_value(const std::vector<int32_t>& values) {
  std::string bytes = raw<uint32_t>(9) + raw<uint32_t>(5) + raw<uint64_t>(values.size());
  for (int32_t value : values) bytes += raw(value);
  return bytes;
}

inline std::string f32_list_value(const std::vector<float>& values) {
  std::string bytes = raw<uint32_t>(9) + raw<uint32_t>(6) + raw<uint64_t>(values.size());
  for (float value : values) bytes += raw(value);
  return bytes;
}

/// A tensor before it is written; `shape` is outermost first.
struct TinyTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::string data;
  uint32_t type = 0;
};

/// An F32 tensor whose element i is `first` + i.
inline TinyTensor counting(std::string name, std::vector<int64_t> shape, float first) {
  std::string data;
  const int64_t count = element_count(shape).value();
  for (int64_t i = 0; i < count; ++i) data += raw(first + static_cast<float>(i));
  return {std::move(name), std::move(shape), std::move(data)};
}

/// What a file consists of; tests change a part of it and look at what the reader says.
struct TinyGguf {
  uint32_t version = 3;
  std::vector<std::pair<std::string, std::string>> keys;
  std::vector<TinyTensor> tensors;

  /// Replaces the value of a key, or adds it.
  void set(const std::string& key, const std::string& value) {
    for (auto& [name, old] : keys) {
      if (name == key) {
        old = value;
        return;
      }
    }
    keys.emplace_back(key, value);
  }

  /// The whole file, its data aligned to 32.
  std::string bytes() const {
    std::string header = "GGUF" + raw(version) + raw<uint64_t>(tensors.size());
    header += raw<uint64_t>(keys.size());
    for (const auto& [key, value] : keys) header += text(key) + value;
    std::string data;
    for (const TinyTensor& tensor : tensors) {
      header += text(tensor.name) + raw(static_cast<uint32_t>(tensor.shape.size()));
      for (size_t i = tensor.shape.size(); i > 0; --i) header += raw(tensor.shape[i - 1]);
      header += raw(tensor.type) + raw<uint64_t>(data.size());
      data += tensor.data;
      data.resize((data.size() + 31) / 32 * 32);
    }
    header.resize((header.size() + 31) / 32 * 32);
    return header + data;
  }
};

/// A Llama of one layer: 2 query heads and 1 key head of size 4, hidden size 8, 6 tokens; norms are
/// 1, 2, …; the rows of Q and K are numbered.
inline TinyGguf tiny_llama(const std::string& architecture = "llama") {
  const std::string arch = architecture + ".";
  TinyGguf file;
  file.keys = {{"general.architecture", text_value(architecture)},
               {arch + "block_count", u32_value(1)},
               {arch + "context_length", u32_value(64)},
               {arch + "embedding_length", u32_value(8)},
               {arch + "feed_forward_length", u32_value(16)},
               {arch + "attention.head_count", u32_value(2)},
               {arch + "attention.head_count_kv", u32_value(1)},
               {arch + "attention.layer_norm_rms_epsilon", f32_value(1e-5f)},
               {arch + "rope.freq_base", f32_value(10000)},
               {"tokenizer.ggml.model", text_value("gpt2")},
               {"tokenizer.ggml.pre", text_value("smollm")},
               {"tokenizer.ggml.tokens", list_value({"<s>", "<u>", "a", "b", "ab", "1"})},
               {"tokenizer.ggml.token_type", list_value({3, 4, 1, 1, 1, 1})},
               {"tokenizer.ggml.merges", list_value(std::vector<std::string>{"a b"})},
               {"tokenizer.ggml.bos_token_id", u32_value(0)},
               {"tokenizer.ggml.eos_token_id", u32_value(0)},
               {"tokenizer.chat_template", text_value("{{ messages }}")}};
  file.tensors = {
      counting("token_embd.weight", {6, 8}, 0),        counting("output_norm.weight", {8}, 1),
      counting("blk.0.attn_norm.weight", {8}, 1),      counting("blk.0.attn_q.weight", {8, 8}, 0),
      counting("blk.0.attn_k.weight", {4, 8}, 0),      counting("blk.0.attn_v.weight", {4, 8}, 0),
      counting("blk.0.attn_output.weight", {8, 8}, 0), counting("blk.0.ffn_norm.weight", {8}, 1),
      counting("blk.0.ffn_gate.weight", {16, 8}, 0),   counting("blk.0.ffn_up.weight", {16, 8}, 0),
      counting("blk.0.ffn_down.weight", {8, 16}, 0)};
  return file;
}

}  // namespace hone::io::testing
