#include "hone/reward/regex.h"

#include "hone/base/check.h"
#include "hone/reward/pattern.h"

namespace hone::reward {

void RegexReward::check() const {
  HONE_CHECK(Pattern(pattern).group_count() >= 1 || !extract,
             "extract needs a group ( ) in pattern, came '{}'", pattern);
}

Scorer RegexReward::scorer() const {
  return [pattern = Pattern(pattern), extract = extract](const Sample& sample) -> Score {
    if (!extract) return {pattern.found_in(sample.completion) ? 1.0 : 0.0};
    const auto groups = pattern.last_match(sample.completion);
    if (groups.empty()) return {0, Status::unparsed};
    return {stripped(groups[1]) == stripped(sample.answer) ? 1.0 : 0.0};
  };
}

}  // namespace hone::reward
