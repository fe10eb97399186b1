#pragma once

#include <string>

#include "hone/rl/grpo_config.h"

namespace hone::rl {

/// What a run would do, without loading a weight: the plan, the memory table and the first step's
/// prompts as text, with the place of the trained tokens marked. The same input errors as the
/// run's own start.
std::string dry_run(const GrpoConfig& config);

}  // namespace hone::rl
