#include "hone/io/gguf_dequantize.h"

#include <cstring>

#include "hone/base/check.h"
#include "hone/io/tensor_view.h"

namespace hone::io {
namespace {

using Bytes = const uint8_t*;

constexpr int8_t kIq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                             1,    13,   25,  38,  53,  69,  89,  113};

uint16_t u16(Bytes p) {
  return static_cast<uint16_t>(p[0] | p[1] << 8);
}
uint32_t u32(Bytes p) {
  return u16(p) | uint32_t{u16(p + 2)} << 16;
}
float half(Bytes p) {
  return from_f16(u16(p));
}

/// The 16 bytes of a 32-element block: low nibbles are elements 0..15, high ones 16..31.
template <typename Value>
void nibbles(Bytes q, float* x, Value value) {
  for (int i = 0; i < 16; ++i) {
    x[i] = value(q[i] & 15, i);
    x[i + 16] = value(q[i] >> 4, i + 16);
  }
}

void f32(Bytes b, float* x) {
  std::memcpy(x, b, sizeof *x);
}
void f16(Bytes b, float* x) {
  *x = half(b);
}
void bf16(Bytes b, float* x) {
  *x = from_bf16(u16(b));
}

void q4_0(Bytes b, float* x) {
  nibbles(b + 2, x, [d = half(b)](int q, int) { return d * static_cast<float>(q - 8); });
}

void q4_1(Bytes b, float* x) {
  const float d = half(b), m = half(b + 2);
  nibbles(b + 4, x, [=](int q, int) { return d * static_cast<float>(q) + m; });
}

void q5_0(Bytes b, float* x) {
  const float d = half(b);
  const uint32_t high = u32(b + 2);
  nibbles(b + 6, x, [=](int q, int i) {
    return d * static_cast<float>((q | static_cast<int>(high >> i & 1) << 4) - 16);
  });
}

void q5_1(Bytes b, float* x) {
  const float d = half(b), m = half(b + 2);
  const uint32_t high = u32(b + 4);
  nibbles(b + 8, x, [=](int q, int i) {
    return d * static_cast<float>(q | static_cast<int>(high >> i & 1) << 4) + m;
  });
}

void q8_0(Bytes b, float* x) {
  const float d = half(b);
  for (int i = 0; i < 32; ++i) x[i] = d * static_cast<float>(static_cast<int8_t>(b[2 + i]));
}

void q2_k(Bytes b, float* x) {
  const float d = half(b + 80), dmin = half(b + 82);
  for (int i = 0; i < 256; ++i) {
    const int scale = b[i / 16], shift = i % 128 / 32 * 2;
    const int q = b[16 + i / 128 * 32 + i % 32] >> shift & 3;
    x[i] = d * static_cast<float>(scale & 15) * static_cast<float>(q) -
           dmin * static_cast<float>(scale >> 4);
  }
}

void q3_k(Bytes b, float* x) {
  Bytes mask = b, qs = b + 32, scales = b + 96;
  const float d = half(b + 108);
  for (int i = 0; i < 256; ++i) {
    const int j = i / 16, shift = i % 128 / 32 * 2;
    const int low = j < 8 ? scales[j] & 15 : scales[j - 8] >> 4;
    const int scale = (low | (scales[8 + j % 4] >> j / 4 * 2 & 3) << 4) - 32;
    const int q = (qs[i / 128 * 32 + i % 32] >> shift & 3) - (mask[i % 32] >> i / 32 & 1 ? 0 : 4);
    x[i] = d * static_cast<float>(scale) * static_cast<float>(q);
  }
}

/// Six-bit scale and minimum number j of Q4_K and Q5_K.
struct ScaleMin {
  int scale, min;
};
ScaleMin scale_min(Bytes s, int j) {
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | s[j - 4] >> 6 << 4, s[j + 4] >> 4 | s[j] >> 6 << 4};
}

void q4_or_q5_k(Bytes b, Bytes high, Bytes qs, float* x) {
  const float d = half(b), dmin = half(b + 2);
  for (int i = 0; i < 256; ++i) {
    const int run = i / 32;
    const auto [scale, min] = scale_min(b + 4, run);
    int q = qs[i / 64 * 32 + i % 32] >> run % 2 * 4 & 15;
    if (high) q |= (high[i % 32] >> run & 1) << 4;
    x[i] = d * static_cast<float>(scale) * static_cast<float>(q) - dmin * static_cast<float>(min);
  }
}

void q4_k(Bytes b, float* x) {
  q4_or_q5_k(b, nullptr, b + 16, x);
}
void q5_k(Bytes b, float* x) {
  q4_or_q5_k(b, b + 16, b + 48, x);
}

void q6_k(Bytes b, float* x) {
  const float d = half(b + 208);
  for (int i = 0; i < 256; ++i) {
    const int part = i / 128, run = i % 128 / 32, l = i % 32;
    const int low = b[part * 64 + run % 2 * 32 + l] >> run / 2 * 4 & 15;
    const int q = (low | (b[128 + part * 32 + l] >> run * 2 & 3) << 4) - 32;
    x[i] = d * static_cast<float>(static_cast<int8_t>(b[192 + i / 16])) * static_cast<float>(q);
  }
}

void iq4_nl(Bytes b, float* x) {
  nibbles(b + 2, x, [d = half(b)](int q, int) { return d * static_cast<float>(kIq4[q]); });
}

void iq4_xs(Bytes b, float* x) {
  const float d = half(b);
  for (int j = 0; j < 8; ++j) {
    const int scale = (b[4 + j / 2] >> j % 2 * 4 & 15) | (u16(b + 2) >> 2 * j & 3) << 4;
    const float run = d * static_cast<float>(scale - 32);
    nibbles(b + 8 + 16 * j, x + 32 * j,
            [=](int q, int) { return run * static_cast<float>(kIq4[q]); });
  }
}

using Block = void (*)(Bytes, float*);

Block block_of(GgufType type) {
  switch (type) {
    case GgufType::f32:
      return f32;
    case GgufType::f16:
      return f16;
    case GgufType::bf16:
      return bf16;
    case GgufType::q4_0:
      return q4_0;
    case GgufType::q4_1:
      return q4_1;
    case GgufType::q5_0:
      return q5_0;
    case GgufType::q5_1:
      return q5_1;
    case GgufType::q8_0:
      return q8_0;
    case GgufType::q2_k:
      return q2_k;
    case GgufType::q3_k:
      return q3_k;
    case GgufType::q4_k:
      return q4_k;
    case GgufType::q5_k:
      return q5_k;
    case GgufType::q6_k:
      return q6_k;
    case GgufType::iq4_nl:
      return iq4_nl;
    case GgufType::iq4_xs:
      return iq4_xs;
  }
  HONE_ASSERT(false, "GGUF type {}", static_cast<int>(type));
}

}  // namespace

void dequantize(GgufType type, const char* blocks, int64_t count, float* values) {
  const GgufBlock& block = *gguf_block(static_cast<uint32_t>(type));
  HONE_ASSERT(count % block.elements == 0, "{} elements of {}", count, block.name);
  const Block expand = block_of(type);
  for (int64_t i = 0; i < count / block.elements; ++i) {
    expand(reinterpret_cast<Bytes>(blocks) + i * block.bytes, values + i * block.elements);
  }
}

}  // namespace hone::io
