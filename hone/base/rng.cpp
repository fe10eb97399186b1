#include "hone/base/rng.h"

#include "hone/base/check.h"

namespace hone {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

static std::array<uint32_t, 4> block(const RandomStream& stream, uint64_t index) {
  return philox(
      {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), stream.step, stream.item},
      {static_cast<uint32_t>(stream.seed), static_cast<uint32_t>(stream.seed >> 32)});
}

uint32_t RandomStream::bits(uint64_t index) const {
  return block(*this, index)[0];
}

double RandomStream::uniform(uint64_t index) const {
  const auto words = block(*this, index);
  const uint64_t mantissa = (uint64_t{words[0]} << 21) ^ (words[1] >> 11);
  return static_cast<double>(mantissa) * 0x1p-53;
}

uint64_t RandomStream::below(uint64_t index, uint64_t bound) const {
  HONE_ASSERT(bound > 0, "bound 0");
  const auto words = block(*this, index);
  const uint64_t random = (uint64_t{words[0]} << 32) | words[1];
  return static_cast<uint64_t>((static_cast<unsigned __int128>(random) * bound) >> 64);
}

uint64_t permuted(const RandomStream& stream, uint64_t index, uint64_t count) {
  HONE_ASSERT(index < count, "index {} of {}", index, count);
  int half_bits = 1;
  while ((uint64_t{1} << (2 * half_bits)) < count) ++half_bits;
  const uint64_t mask = (uint64_t{1} << half_bits) - 1;
  uint64_t value = index;
  do {
    uint64_t left = value >> half_bits, right = value & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t mixed = left ^ (stream.bits((round << 60) | right) & mask);
      left = right;
      right = mixed;
    }
    value = (left << half_bits) | right;
  } while (value >= count);
  return value;
}

}  // namespace hone
