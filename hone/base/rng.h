#pragma once

#include <array>
#include <cstdint>

namespace hone {

/// Philox4x32-10 (Salmon et al., SC'11, "Parallel random numbers: as easy as 1, 2, 3"): a pure
/// function of key and counter, so that every draw is a function of (seed, step, item, index).
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A stream of random numbers named by (seed, step, item); `index` picks the draw, in any order.
struct RandomStream {
  uint64_t seed = 0;
  uint32_t step = 0;
  uint32_t item = 0;

  /// 32 random bits.
  uint32_t bits(uint64_t index) const;
  /// Uniform in [0, 1) with 53 bits.
  double uniform(uint64_t index) const;
  /// Uniform in [0, bound); bound > 0.
  uint64_t below(uint64_t index, uint64_t bound) const;
};

/// The `index`-th element of the pseudo-random permutation of [0, count) named by `stream`.
/// A Feistel network over the next power of four with cycle walking: no table, any index first.
uint64_t permuted(const RandomStream& stream, uint64_t index, uint64_t count);

}  // namespace hone
