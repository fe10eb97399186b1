#include "hone/base/json.h"

#include <cmath>
#include <cstdlib>

#include "hone/base/check.h"

namespace hone {

Json parse_json(std::string_view text, std::string_view origin) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    fail_input("{}: not valid JSON: {}", origin, error.what());
  }
}

std::string print_json(const Json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json json_float(float value) {
  if (!std::isfinite(value)) return Json(nullptr);
  return Json(std::strtod(fmt::format("{}", value).c_str(), nullptr));
}

}  // namespace hone
