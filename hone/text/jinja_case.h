#pragma once

#include "hone/text/jinja_text.h"

/// Letter case and character classes as Python's str has them. Internal to hone/text.
namespace hone::text::jinja {

Text upper(const Text& text);
Text lower(const Text& text);
/// str.title: a capital at the start of each run of cased letters.
Text title(const Text& text);
Text capitalize(const Text& text);
Text swap_case(const Text& text);
Text fold_case(const Text& text);

/// str.isalpha, isdecimal, isdigit and isnumeric of one character.
bool is_alpha(int32_t code);
bool is_decimal(int32_t code);
bool is_digit(int32_t code);
bool is_numeric(int32_t code);
/// str.isupper, str.islower, str.istitle.
bool is_upper(const Text& text);
bool is_lower(const Text& text);
bool is_title(const Text& text);

}  // namespace hone::text::jinja
