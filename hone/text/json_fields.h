#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hone/base/check.h"

namespace hone::text {

/// JSON of tokenizer.json. Objects are sorted maps: Json's ordered ones are quadratic in the size
/// of a vocabulary.
using Fields = nlohmann::json;

/// The value of `key`, or `fallback` when it is absent or null; an input error on a wrong type.
template <typename T>
T field_or(const Fields& from, const std::string& key, T fallback) {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null()) return fallback;
  try {
    return found->template get<T>();
  } catch (const Fields::exception&) {
    fail_input("tokenizer: field '{}' has the wrong type: {}", key, found->dump().substr(0, 80));
  }
}

/// The value of `key`; an input error when it is missing, null or of a wrong type.
template <typename T>
T field(const Fields& from, const std::string& key) {
  HONE_CHECK(from.is_object() && from.contains(key) && !from[key].is_null(),
             "tokenizer: field '{}' is missing in {}", key, from.dump().substr(0, 80));
  return field_or<T>(from, key, T{});
}

/// The list at `key`; an input error when it is missing or no list.
inline const Fields& list_field(const Fields& from, const std::string& key) {
  HONE_CHECK(from.is_object() && from.contains(key) && from[key].is_array(),
             "tokenizer: field '{}' must be a list in {}", key, from.dump().substr(0, 80));
  return from[key];
}

}  // namespace hone::text
