#include "hone/text/jinja_filters.h"

#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

Value otherwise(Context&, const Bound& a) {
  const bool missing = a[0].is_undefined() || (a.flag(2) && !truthy(a[0]));
  if (!missing) return a[0];
  return a.has(1) ? a[1] : Value("");
}

Value attribute_only(Context&, const Bound& a) {
  if (const Undefined* undefined = a[0].undefined()) fail_input("{}", undefined->message);
  return own_attribute(a[0], a.text(1).bytes())
      .value_or(
          Undefined{fmt::format("'{}' has no attribute '{}'", type_name(a[0]), a.text(1).bytes())});
}

Text separator_of(const Value& pair, size_t index) {
  const Values parts = iterate(pair);
  HONE_CHECK(parts.size() == 2 && parts[index].text(), "tojson: separators must be two strings");
  return *parts[index].text();
}

Value to_json(Context&, const Bound& a) {
  JsonLayout layout;
  layout.ensure_ascii = a.flag(1);
  layout.sort_keys = a.flag(4);
  layout.has_indent = a.has(2) && !a[2].is_none();
  if (layout.has_indent) {
    const bool is_text = a[2].text() != nullptr;
    const int64_t width = is_text ? 0 : a.integer(2, 0);
    HONE_CHECK(width <= 1000, "tojson: an indent of {} is too large", width);
    layout.indent = is_text ? *a[2].text() : Text(std::string(std::max<int64_t>(width, 0), ' '));
  }
  const bool given = a.has(3) && !a[3].is_none();
  layout.item_separator = given ? separator_of(a[3], 0) : Text(layout.has_indent ? "," : ", ");
  layout.key_separator = given ? separator_of(a[3], 1) : Text(": ");
  return print_json(a[0], layout);
}

constexpr Function kFilters[] = {
    {"attr", "obj name", attribute_only},
    {"d", "value default_value? boolean?", otherwise},
    {"default", "value default_value? boolean?", otherwise},
    {"tojson", "x ensure_ascii? indent? separators? sort_keys?", to_json},
};

}  // namespace

const Function* find_filter(std::string_view name) {
  for (const std::span<const Function> table :
       {std::span<const Function>(kFilters), text_filters(), collection_filters()}) {
    if (const Function* function = find_function(table, name)) return function;
  }
  return nullptr;
}

}  // namespace hone::text::jinja
