#pragma once

#include "hone/text/jinja_object.h"

/// Filters: functions whose first argument is the value on the left of |. Internal to hone/text.
namespace hone::text::jinja {

/// The filter of that name, or nullptr.
const Function* find_filter(std::string_view name);

/// Rows of the filters on text and numbers, and on collections.
std::span<const Function> text_filters();
std::span<const Function> collection_filters();

}  // namespace hone::text::jinja
