#include "hone/ops/attention.h"

namespace hone::ops {
namespace {

constexpr int64_t kBlock = kernels::kKvBlockTokens;

}  // namespace

std::shared_ptr<const AttentionPlan> plan_forest(std::vector<kernels::TreeSegment> segments) {
  auto plan = std::make_shared<AttentionPlan>();
  std::vector<int64_t> end_position(segments.size());
  std::vector<std::vector<int64_t>> tail(segments.size());  // tokens of the last partial block
  int64_t covered = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    const auto& segment = segments[s];
    HONE_ASSERT(segment.begin == covered && segment.parent < static_cast<int64_t>(s),
                "segment {} begins at {} of {} and has parent {}", s, segment.begin, covered,
                segment.parent);
    covered += segment.count;
    const bool root = segment.parent < 0;
    const int64_t first = root ? 0 : end_position[segment.parent];
    auto table = root ? std::vector<int32_t>() : plan->block_tables[segment.parent];
    auto tokens = root ? std::vector<int64_t>() : tail[segment.parent];
    const int64_t shared_blocks = first / kBlock;
    table.resize(shared_blocks);
    end_position[s] = first + segment.count;
    while (static_cast<int64_t>(table.size()) * kBlock < end_position[s]) {
      table.push_back(plan->block_count++);
    }
    for (int64_t i = 0; i < segment.count; ++i) tokens.push_back(segment.begin + i);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const int64_t position = shared_blocks * kBlock + static_cast<int64_t>(i);
      plan->writes.push_back({static_cast<int32_t>(tokens[i]), table[position / kBlock],
                              static_cast<int32_t>(position % kBlock)});
    }
    tail[s].assign(tokens.end() - (end_position[s] % kBlock), tokens.end());
    plan->block_tables.push_back(std::move(table));
    plan->spans.push_back({segment.begin, segment.count, first, nullptr});
  }
  for (size_t s = 0; s < plan->spans.size(); ++s) {
    plan->spans[s].blocks = plan->block_tables[s].data();
  }
  plan->segments = std::move(segments);
  return plan;
}

}  // namespace hone::ops
