#include "hone/reward/exact.h"

#include <strings.h>

namespace hone::reward {

Scorer ExactReward::scorer() const {
  return [ignore_case = ignore_case](const Sample& sample) -> Score {
    const std::string_view got = stripped(sample.completion), wanted = stripped(sample.answer);
    if (!ignore_case) return {got == wanted ? 1.0 : 0.0};
    return {got.size() == wanted.size() && strncasecmp(got.data(), wanted.data(), got.size()) == 0
                ? 1.0
                : 0.0};
  };
}

}  // namespace hone::reward
