#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hone/kernels/attention.h"
#include "hone/nn/decoder.h"

namespace hone::train {

/// Which token of which sequence a scored row belongs to.
struct RowSource {
  int64_t sequence = 0, token = 0;
};

/// A micro-batch without padding. Example: a prompt [7, 8] with completions a = [1, 2, 3] and
/// b = [4] becomes tokens [7, 8, 1, 2], segments {0..2, root}, {2..4, parent 0}; rows [1, 2, 3, 1]
/// predict targets [1, 2, 3, 4]: a completion's first token is predicted by the prompt's last
/// row, and its last token is never an input.
struct PackedBatch {
  std::vector<int32_t> tokens, positions;
  std::vector<kernels::TreeSegment> segments;
  std::vector<int32_t> rows, targets;
  std::vector<RowSource> sources;  // one per row

  /// Tensors of tokens, positions and the attention plan on `device`.
  nn::Batch batch(at::Device device) const;
};

/// Builds a PackedBatch segment by segment.
class Packer {
 public:
  /// A segment from whose end others branch off (a prompt), after `parent` (-1: none). Nothing of
  /// it is scored. Returns its index.
  int64_t add_trunk(std::span<const int32_t> tokens, int64_t parent);

  /// The end of `sequence`: `tokens` after `parent`, of which those with scored[i] != 0 get a
  /// row (`scored` empty: all). The first token of a sequence without parent cannot be scored.
  void add_leaf(std::span<const int32_t> tokens, int64_t parent, std::span<const uint8_t> scored,
                int64_t sequence);

  int64_t token_count() const { return static_cast<int64_t>(batch_.tokens.size()); }
  /// The batch so far; the packer is empty afterwards.
  PackedBatch take();

 private:
  int64_t append(std::span<const int32_t> tokens, int64_t parent);
  PackedBatch batch_;
};

}  // namespace hone::train
