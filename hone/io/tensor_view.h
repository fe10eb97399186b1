#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::io {

/// Element types of safetensors files.
enum class ElementType { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean, f8_e4m3, f8_e5m2 };

/// The name in a safetensors header, e.g. "BF16".
const char* element_name(ElementType type);
int64_t element_bytes(ElementType type);

/// A named tensor in somebody else's memory, row-major; valid as long as its owner.
struct TensorView {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape;
  const char* data = nullptr;
  int64_t bytes = 0;

  int64_t element_count() const { return bytes / element_bytes(type); }
};

/// Writes all elements as float32, or rounded to bf16 (ties to even); f64, f32, f16 and bf16 only,
/// other types are an input error that names the tensor. `data` needs no alignment.
void to_f32(const TensorView& tensor, float* out);
void to_bf16(const TensorView& tensor, uint16_t* out);

/// Product of the sizes (1 for a scalar); nothing where one is negative or it overflows.
std::optional<int64_t> element_count(const std::vector<int64_t>& shape);

/// A bf16 as float32 (exact).
float from_bf16(uint16_t bits);

/// One IEEE half as float32 (exact).
float from_f16(uint16_t half);

/// float32 to bf16 bits, ties to even; NaN stays NaN.
uint16_t to_bf16(float value);

}  // namespace hone::io
