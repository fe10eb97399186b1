#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace hone {

/// JSON value whose objects keep the order in which keys were written.
using Json = nlohmann::ordered_json;

/// Parses `text`; an error names `origin` (a file or "line 3 of x.jsonl"), the place and the cause.
Json parse_json(std::string_view text, std::string_view origin);

/// Prints on one line. A float stored with `json_float` comes back with the same bits.
std::string print_json(const Json& value);

/// The shortest decimal number that reads back as the same float.
Json json_float(float value);

}  // namespace hone
