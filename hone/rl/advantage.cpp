#include "hone/rl/advantage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/base/check.h"

namespace hone::rl {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

void assert_cover(std::span<const double> rewards, std::span<const int64_t> group_sizes) {
  const int64_t total = std::accumulate(group_sizes.begin(), group_sizes.end(), int64_t{0});
  HONE_ASSERT(total == static_cast<int64_t>(rewards.size()), "groups of {} for {} rewards", total,
              rewards.size());
}

}  // namespace

std::vector<double> group_advantages(std::span<const double> rewards,
                                     std::span<const int64_t> group_sizes, AdvantageStd divide_by,
                                     double eps) {
  assert_cover(rewards, group_sizes);
  std::vector<double> advantages;
  const double batch_deviation = deviation_of(rewards);
  size_t begin = 0;
  for (int64_t size : group_sizes) {
    const auto group = rewards.subspan(begin, size);
    const double divisor = divide_by == AdvantageStd::group   ? deviation_of(group) + eps
                           : divide_by == AdvantageStd::batch ? batch_deviation + eps
                                                              : 1;
    const double mean = mean_of(group);
    for (double reward : group) {
      advantages.push_back(all_equal(group) ? 0 : (reward - mean) / divisor);
    }
    begin += size;
  }
  return advantages;
}

double zero_std_share(std::span<const double> rewards, std::span<const int64_t> group_sizes) {
  assert_cover(rewards, group_sizes);
  int64_t equal = 0;
  size_t begin = 0;
  for (int64_t size : group_sizes) {
    equal += all_equal(rewards.subspan(begin, size));
    begin += size;
  }
  return group_sizes.empty() ? 0 : static_cast<double>(equal) / group_sizes.size();
}

}  // namespace hone::rl
