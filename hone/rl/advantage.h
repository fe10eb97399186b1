#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hone::rl {

/// What the centred reward is divided by.
enum class AdvantageStd { group, batch, none };

constexpr std::array<std::pair<AdvantageStd, const char*>, 3> enum_names(AdvantageStd) {
  return {{{AdvantageStd::group, "group"},
           {AdvantageStd::batch, "batch"},
           {AdvantageStd::none, "none"}}};
}

/// Rewards of consecutive groups (the samples of one prompt each) to one advantage a sample:
/// (R - mean of the group) / (std + eps). `group` divides by the group's own deviation (GRPO,
/// 2402.03300), `batch` by that of all samples (2508.08221), `none` not at all (Dr. GRPO,
/// 2503.20783). Deviations are unbiased (n - 1). A group of one or of equal rewards gives 0.
std::vector<double> group_advantages(std::span<const double> rewards,
                                     std::span<const int64_t> group_sizes, AdvantageStd divide_by,
                                     double eps);

/// The share of groups whose rewards are all equal: they carry no signal.
double zero_std_share(std::span<const double> rewards, std::span<const int64_t> group_sizes);

}  // namespace hone::rl
