#pragma once

#include <string_view>

#include "hone/base/json.h"
#include "hone/engine/sampling.h"

namespace hone::engine {

/// `params` with the fields of a JSON object set, then checked. A key that is no field, or a value
/// of the wrong type, is an input error that begins with `origin`. `stop` may be one string.
SamplingParams read_sampling(const Json& object, std::string_view origin, SamplingParams params);

}  // namespace hone::engine
