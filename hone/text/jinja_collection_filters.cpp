#include <algorithm>
#include <unordered_set>

#include "hone/text/jinja_case.h"
#include "hone/text/jinja_filters.h"
#include "hone/text/jinja_methods.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"
#include "hone/text/jinja_tests.h"

namespace hone::text::jinja {
namespace {

/// "a.0.b" as the keys that item() takes one after the other; other values are the only key.
Values split_path(const Value& attribute) {
  const Text* text = attribute.text();
  if (attribute.is_none()) return {};
  if (!text) return {attribute};
  const Text dot(".");
  Values parts = split(*text, &dot, -1);
  for (Value& part : parts) {
    const std::string& bytes = part.text()->bytes();
    const bool digits = bytes.find_first_not_of("0123456789") == bytes.npos && !bytes.empty();
    if (digits && bytes.size() < 18) part = static_cast<int64_t>(std::stoll(bytes));
  }
  return parts;
}

Value follow(Value value, const Values& path, const Value& missing = None{}) {
  for (const Value& key : path) {
    value = item(value, key);
    if (value.is_undefined() && !missing.is_none()) value = missing;
  }
  return value;
}

Value without_case(const Value& value, bool case_sensitive) {
  return value.text() && !case_sensitive ? Value(lower(*value.text())) : value;
}

/// Items with the keys that they are ordered by.
using Keyed = std::vector<std::pair<Value, Value>>;

void sort_keyed(Keyed& keyed, bool reverse) {
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return reverse ? less(b.first, a.first) : less(a.first, b.first);
  });
}

Value second_list(const Keyed& keyed) {
  Values items;
  for (const auto& [unused, item] : keyed) items.push_back(item);
  return make_list(std::move(items));
}

Value sort(Context&, const Bound& a) {
  std::vector<Values> paths;
  const Text comma(",");
  const bool several = a.has(3) && a[3].text();
  for (const Value& path : several ? split(a.text(3), &comma, -1) : Values{a.value_or_none(3)}) {
    paths.push_back(split_path(path));
  }
  Keyed keyed;
  for (const Value& item : iterate(a[0])) {
    Values keys;
    for (const Values& path : paths) keys.push_back(without_case(follow(item, path), a.flag(2)));
    keyed.emplace_back(make_list(std::move(keys)), item);
  }
  sort_keyed(keyed, a.flag(1));
  return second_list(keyed);
}

Value sort_dict(Context&, const Bound& a) {
  const std::string by = a.has(2) ? a.text(2).bytes() : "key";
  HONE_CHECK(by == "key" || by == "value", "dictsort sorts by \"key\" or \"value\"");
  HONE_CHECK(a[0].dict(), "dictsort needs a dict, but got '{}'", type_name(a[0]));
  Keyed keyed;
  for (const auto& [key, value] : a[0].dict()->entries()) {
    keyed.emplace_back(without_case(by == "key" ? key : value, a.flag(1)),
                       make_tuple({key, value}));
  }
  sort_keyed(keyed, a.flag(3));
  return second_list(keyed);
}

Value group(Context&, const Bound& a) {
  const Values path = split_path(a[1]);
  const Value missing = a.value_or_none(2);
  Keyed keyed;
  for (const Value& item : iterate(a[0])) {
    keyed.emplace_back(without_case(follow(item, path, missing), a.flag(3)), item);
  }
  sort_keyed(keyed, false);
  Values groups;
  for (auto first = keyed.begin(); first != keyed.end();) {
    const auto last = std::find_if(
        first, keyed.end(), [&](const auto& entry) { return !equal(entry.first, first->first); });
    const Value name = a.flag(3) ? first->first : follow(first->second, path, missing);
    push(groups,
         make_sequence(SequenceKind::tuple, {name, second_list(Keyed(first, last))}, "group"));
    first = last;
  }
  return make_list(std::move(groups));
}

Value unique(Context&, const Bound& a) {
  const Values path = split_path(a.value_or_none(2));
  std::unordered_set<Value, ValueHash, ValueEqual> seen;
  Values kept;
  for (const Value& item : iterate(a[0])) {
    if (seen.insert(without_case(follow(item, path), a.flag(1))).second) kept.push_back(item);
  }
  return make_iterator(std::move(kept));
}

template <bool greatest>
Value extreme(Context&, const Bound& a) {
  const Values path = split_path(a.value_or_none(2));
  std::optional<std::pair<Value, Value>> best;
  for (const Value& item : iterate(a[0])) {
    const Value key = without_case(follow(item, path), a.flag(1));
    if (!best || (greatest ? less(best->first, key) : less(key, best->first)))
      best.emplace(key, item);
  }
  return best ? best->second : Undefined{"no aggregated item, the sequence was empty"};
}

Value sum(Context&, const Bound& a) {
  const Values path = split_path(a.value_or_none(1));
  Value total = a.has(2) ? a[2] : Value(0);
  HONE_CHECK(!total.text(), "sum cannot add strings: use join");
  for (const Value& item : iterate(a[0])) {
    total = arithmetic(Operator::add, total, follow(item, path));
  }
  return total;
}

Value join_items(Context&, const Bound& a) {
  const Values path = split_path(a.value_or_none(2));
  Text separator = a.has(1) ? print(a[1]) : Text();
  separator.markup = false;
  Values texts;
  for (const Value& item : iterate(a[0])) texts.push_back(print(follow(item, path)));
  return join(separator, texts);
}

Value first(Context&, const Bound& a) {
  const Sequence* sequence = a[0].sequence();
  if (sequence && !sequence->has_length() && sequence->next < sequence->items.size()) {
    return sequence->items[sequence->next++];
  }
  const Values items = iterate(a[0]);
  return items.empty() ? Value(Undefined{"no first item, the sequence was empty"}) : items.front();
}

Value last(Context&, const Bound& a) {
  HONE_CHECK(!a[0].sequence() || a[0].sequence()->has_length(), "'{}' object is not reversible",
             type_name(a[0]));
  const Values items = iterate(a[0]);
  return items.empty() ? Value(Undefined{"no last item, the sequence was empty"}) : items.back();
}

Value reverse(Context&, const Bound& a) {
  if (a[0].text()) return slice(a[0], None{}, None{}, -1);
  const bool lazy = !a[0].sequence() || a[0].sequence()->has_length();
  Values items = iterate(a[0]);
  std::reverse(items.begin(), items.end());
  return lazy ? make_iterator(std::move(items), "reversed") : make_list(std::move(items));
}

Value to_list(Context&, const Bound& a) {
  return make_list(iterate(a[0]));
}
Value count(Context&, const Bound& a) {
  return length(a[0]);
}

Value items(Context& context, const Bound& a) {
  if (a[0].is_undefined()) return make_iterator({});
  HONE_CHECK(a[0].dict(), "items needs a dict, but got '{}'", type_name(a[0]));
  return make_iterator(iterate(call_value(*find_method(a[0], "items"), context, {})));
}

/// Lists of up to `count` items; the last is filled up.
Value batch(Context&, const Bound& a) {
  const auto count = static_cast<size_t>(std::max<int64_t>(a.integer(1, 0), 0));
  Values batches, current;
  for (const Value& item : iterate(a[0])) {
    if (current.size() == count) push(batches, make_list(std::exchange(current, {})));
    current.push_back(item);
  }
  if (!current.empty()) {
    const Value fill = a.value_or_none(2);
    while (!fill.is_none() && current.size() < count) push(current, fill);
    push(batches, make_list(std::move(current)));
  }
  return make_iterator(std::move(batches));
}

/// A number of lists whose lengths differ by one at most.
Value cut(Context&, const Bound& a) {
  const Values items = iterate(a[0]);
  const int64_t slices = a.integer(1, 0), count = items.size();
  HONE_CHECK(slices != 0, "slice: the number of slices is zero");
  Values result;
  auto next = items.begin();
  for (int64_t i = 0; i < slices; ++i) {
    const bool longer = i < count % slices;
    const auto end = next + count / slices + longer;
    Values part(next, end);
    if (!a.value_or_none(2).is_none() && !longer) push(part, a[2]);
    push(result, make_list(std::move(part)));
    next = end;
  }
  return make_iterator(std::move(result));
}

const Function& named_function(const Function* (*find)(std::string_view), const Value& name) {
  HONE_CHECK(name.text(), "the name of a filter or test must be a string");
  const Function* function = find(name.text()->bytes());
  HONE_CHECK(function, "no filter or test is named '{}'", name.text()->bytes());
  return *function;
}

/// The arguments of map, select …: those after the first `skipped`, behind the item.
Arguments with_item(const Value& item, const Arguments& rest, size_t skipped) {
  Arguments arguments{.positional = {item}, .named = rest.named};
  arguments.positional.insert(arguments.positional.end(), rest.positional.begin() + skipped,
                              rest.positional.end());
  return arguments;
}

Values map_attributes(const Values& items, const Arguments& rest) {
  Value attribute, missing;
  for (const auto& [name, value] : rest.named) {
    HONE_CHECK(name.bytes() == "attribute" || name.bytes() == "default",
               "map takes no argument named '{}'", name.bytes());
    (name.bytes() == "attribute" ? attribute : missing) = value;
  }
  const Values path = split_path(attribute);
  Values result;
  for (const Value& item : items) result.push_back(follow(item, path, missing));
  return result;
}

Value map(Context& context, const Bound& a) {
  if (!truthy(a[0])) return make_iterator({});
  const Values items = iterate(a[0]);
  if (a.rest.positional.empty()) {
    const auto& named = a.rest.named;
    const bool attribute = std::any_of(named.begin(), named.end(), [](const auto& entry) {
      return entry.first.bytes() == "attribute";
    });
    HONE_CHECK(attribute, "map needs the name of a filter or attribute=");
    return make_iterator(map_attributes(items, a.rest));
  }
  const Function& filter = named_function(find_filter, a.rest.positional[0]);
  Values result;
  for (const Value& item : items) {
    context.spend(1);
    result.push_back(call_function(filter, context, with_item(item, a.rest, 1)));
  }
  return make_iterator(std::move(result));
}

/// select, reject, selectattr, rejectattr.
template <bool wanted, bool by_attribute>
Value choose(Context& context, const Bound& a) {
  if (!truthy(a[0])) return make_iterator({});
  const Values& rest = a.rest.positional;
  HONE_CHECK(!by_attribute || !rest.empty(), "selectattr and rejectattr need an attribute");
  const Values path = by_attribute ? split_path(rest[0]) : Values{};
  const Function* test =
      rest.size() > by_attribute ? &named_function(find_test, rest[by_attribute]) : nullptr;
  Values kept;
  for (const Value& item : iterate(a[0])) {
    context.spend(1);
    Value value = follow(item, path);
    if (test) value = call_function(*test, context, with_item(value, a.rest, by_attribute + 1));
    if (truthy(value) == wanted) kept.push_back(item);
  }
  return make_iterator(std::move(kept));
}

constexpr Function kCollectionFilters[] = {
    {"batch", "value linecount fill_with?", batch},
    {"count", "_", count},
    {"dictsort", "value case_sensitive? by? reverse?", sort_dict},
    {"first", "seq", first},
    {"groupby", "value attribute default? case_sensitive?", group},
    {"items", "value", items},
    {"join", "value d? attribute?", join_items},
    {"last", "seq", last},
    {"length", "_", count},
    {"list", "value", to_list},
    {"map", "_ * **", map},
    {"max", "value case_sensitive? attribute?", extreme<true>},
    {"min", "value case_sensitive? attribute?", extreme<false>},
    {"reject", "_ * **", choose<false, false>},
    {"rejectattr", "_ * **", choose<false, true>},
    {"reverse", "value", reverse},
    {"select", "_ * **", choose<true, false>},
    {"selectattr", "_ * **", choose<true, true>},
    {"slice", "value slices fill_with?", cut},
    {"sort", "value reverse? case_sensitive? attribute?", sort},
    {"sum", "iterable attribute? start?", sum},
    {"unique", "value case_sensitive? attribute?", unique},
};

}  // namespace

std::span<const Function> collection_filters() {
  return kCollectionFilters;
}

}  // namespace hone::text::jinja
