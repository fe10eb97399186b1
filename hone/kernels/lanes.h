#pragma once

#include "hone/kernels/vec.h"

/// Loops over rows of any length, for *_isa.cpp files. The last lanes go through a padded copy, so
/// that every element sees the same arithmetic.
namespace hone::kernels::HONE_ISA {

/// Calls body(offset, count) for whole vectors and once for the rest of `size`.
template <typename Body>
void for_each_vector(int64_t size, const Body& body) {
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) body(i, kLanes);
  if (i < size) body(i, size - i);
}

/// Lanes from `count` on are 0.
template <typename T>
Vec load_some(const T* p, int64_t count) {
  if (count == kLanes) return load(p);
  T padded[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) padded[i] = p[i];
  return load(padded);
}

template <typename T>
void store_some(T* p, Vec v, int64_t count) {
  if (count == kLanes) return store(p, v);
  T padded[kLanes];
  store(padded, v);
  for (int64_t i = 0; i < count; ++i) p[i] = padded[i];
}

inline Vec load_typed(const void* p, DType type, int64_t offset, int64_t count) {
  return type == DType::f32 ? load_some(static_cast<const float*>(p) + offset, count)
                            : load_some(static_cast<const bf16*>(p) + offset, count);
}

inline void store_typed(void* p, DType type, int64_t offset, Vec v, int64_t count) {
  if (type == DType::f32) {
    store_some(static_cast<float*>(p) + offset, v, count);
  } else {
    store_some(static_cast<bf16*>(p) + offset, v, count);
  }
}

}  // namespace hone::kernels::HONE_ISA
