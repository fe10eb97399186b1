#include "hone/engine/sampling_json.h"

#include <concepts>
#include <utility>

#include "hone/base/check.h"

namespace hone::engine {
namespace {

bool read(const Json& value, bool& member) {
  if (!value.is_boolean()) return false;
  member = value.get<bool>();
  return true;
}

bool read(const Json& value, float& member) {
  if (!value.is_number()) return false;
  member = value.get<float>();
  return true;
}

bool read(const Json& value, std::string& member) {
  if (!value.is_string()) return false;
  member = value.get<std::string>();
  return true;
}

template <std::integral T>
bool read(const Json& value, T& member) {
  if (!value.is_number_integer()) return false;
  const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<uint64_t>())
                                               : std::in_range<T>(value.get<int64_t>());
  if (fits) member = value.get<T>();
  return fits;
}

template <typename T>
bool read(const Json& value, std::vector<T>& member) {
  member.assign(value.is_array() ? value.size() : 1, T{});
  if (!value.is_array()) return std::same_as<T, std::string> && read(value, member[0]);
  for (size_t i = 0; i < value.size(); ++i) {
    if (!read(value[i], member[i])) return false;
  }
  return true;
}

const char* type_name(const bool&) {
  return "true or false";
}
const char* type_name(const float&) {
  return "a number";
}
const char* type_name(const std::integral auto&) {
  return "a whole number in range";
}
const char* type_name(const std::vector<int32_t>&) {
  return "a list of token ids";
}
const char* type_name(const std::vector<std::string>&) {
  return "a string or a list of strings";
}

}  // namespace

SamplingParams read_sampling(const Json& object, std::string_view origin, SamplingParams params) {
  HONE_CHECK(object.is_object(), "{}: the sampling options must be an object, got {}", origin,
             print_json(object));
  for (const auto& [key, value] : object.items()) {
    bool known = false;
    std::string names;
    SamplingParams::fields(params, [&](std::string_view name, auto& member, std::string_view) {
      names.append(names.empty() ? "" : ", ").append(name);
      if (name != key) return;
      known = true;
      HONE_CHECK(read(value, member), "{}: {} must be {}, got {}", origin, name, type_name(member),
                 print_json(value));
    });
    HONE_CHECK(known, "{}: '{}' is no sampling option; there are {}", origin, key, names);
  }
  params.check(origin);
  return params;
}

}  // namespace hone::engine
