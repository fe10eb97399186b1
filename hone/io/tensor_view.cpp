#include "hone/io/tensor_view.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "hone/base/check.h"

namespace hone::io {
namespace {

struct ElementRow {
  const char* name;
  int64_t bytes;
};

constexpr ElementRow kElements[] = {{"F64", 8}, {"F32", 4},  {"F16", 2},     {"BF16", 2},
                                    {"I64", 8}, {"I32", 4},  {"I16", 2},     {"I8", 1},
                                    {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

template <typename T>
T read_at(const char* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof value);
  return value;
}

/// Calls put(index, value) for every element as float32.
template <typename Put>
void for_each_float(const TensorView& tensor, const Put& put) {
  const int64_t count = tensor.element_count();
  switch (tensor.type) {
    case ElementType::f64:
      for (int64_t i = 0; i < count; ++i) {
        put(i, static_cast<float>(read_at<double>(tensor.data, i)));
      }
      return;
    case ElementType::f32:
      for (int64_t i = 0; i < count; ++i) put(i, read_at<float>(tensor.data, i));
      return;
    case ElementType::f16:
      for (int64_t i = 0; i < count; ++i) put(i, from_f16(read_at<uint16_t>(tensor.data, i)));
      return;
    case ElementType::bf16:
      for (int64_t i = 0; i < count; ++i) {
        put(i, from_bf16(read_at<uint16_t>(tensor.data, i)));
      }
      return;
    default:
      fail_input("tensor '{}' is of type {}; weights must be F64, F32, F16 or BF16", tensor.name,
                 element_name(tensor.type));
  }
}

}  // namespace

const char* element_name(ElementType type) {
  return kElements[static_cast<int>(type)].name;
}

int64_t element_bytes(ElementType type) {
  return kElements[static_cast<int>(type)].bytes;
}

std::optional<int64_t> element_count(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

float from_f16(uint16_t half) {
  const uint32_t sign = uint32_t{half} >> 15 << 31, exponent = half >> 10 & 31;
  const uint32_t mantissa = half & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void to_f32(const TensorView& tensor, float* out) {
  for_each_float(tensor, [&](int64_t i, float value) { out[i] = value; });
}

void to_bf16(const TensorView& tensor, uint16_t* out) {
  if (tensor.type == ElementType::bf16) {
    std::memcpy(out, tensor.data, tensor.bytes);
    return;
  }
  for_each_float(tensor, [&](int64_t i, float value) { out[i] = to_bf16(value); });
}

}  // namespace hone::io
