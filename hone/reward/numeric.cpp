#include "hone/reward/numeric.h"

#include "hone/base/check.h"
#include "hone/reward/number.h"

namespace hone::reward {

void NumericReward::check() const {
  HONE_CHECK(tolerance >= 0, "tolerance must be at least 0, came {}", tolerance);
}

Scorer NumericReward::scorer() const {
  return [tolerance = tolerance](const Sample& sample) -> Score {
    const auto wanted = last_number(sample.answer);
    if (!wanted) return {0, Status::skipped};
    const auto got = last_number(sample.completion);
    if (!got) return {0, Status::unparsed};
    return {equal_numbers(*got, *wanted, tolerance) ? 1.0 : 0.0};
  };
}

}  // namespace hone::reward
