#pragma once

#include "hone/text/jinja_object.h"

/// Internal to hone/text.
namespace hone::text::jinja {

/// The test of that name (x is name), or nullptr.
const Function* find_test(std::string_view name);

}  // namespace hone::text::jinja
