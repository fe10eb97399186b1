#include "hone/text/jinja_methods.h"

#include <algorithm>

#include "hone/text/jinja_case.h"
#include "hone/text/jinja_format.h"
#include "hone/text/jinja_object.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

const Text* optional_text(const Bound& a, size_t index) {
  return a.has(index) && !a[index].is_none() ? &a.text(index) : nullptr;
}

template <Text (*change)(const Text&)>
Value changed(Context&, const Bound& a) {
  return change(a.text(0));
}

template <Side side>
Value stripped(Context&, const Bound& a) {
  return strip(a.text(0), optional_text(a, 1), side);
}

template <char align>
Value justified(Context&, const Bound& a) {
  const int64_t width = std::max<int64_t>(a.integer(1, 0), 0);
  HONE_CHECK(width <= static_cast<int64_t>(kMaxTextBytes), "a width of {} is too large", width);
  FormatSpec spec{.width = static_cast<int>(width)};
  if (a.has(2)) spec.fill = a.text(2);
  HONE_CHECK(count_characters(spec.fill.bytes()) == 1, "the fill character must be one character");
  // str.center gives an odd space to the left if the width is odd.
  const int64_t missing = width - length(a[0]);
  if (align != '^' || missing <= 0) return pad(a.text(0), spec, align);
  Text left;
  for (int64_t i = 0; i < missing / 2 + (missing & width & 1); ++i) left.append(spec.fill);
  left.append(a.text(0));
  return pad(std::move(left), spec, '<');
}

template <bool (*is_class)(int32_t)>
Value all_characters(Context&, const Bound& a) {
  const std::string& bytes = a.text(0).bytes();
  for (size_t at = 0; at < bytes.size();) {
    const Character c = character_at(bytes, at);
    if (!is_class(c.code)) return false;
    at += c.size;
  }
  return !bytes.empty();
}

bool is_alphanumeric(int32_t code) {
  return is_alpha(code) || is_numeric(code);
}

template <bool (*is_case)(const Text&)>
Value has_case(Context&, const Bound& a) {
  return is_case(a.text(0));
}

/// The part of the string that find, count, startswith … look at, and where it begins.
struct Window {
  std::string_view bytes;
  int64_t first_character = 0;
};

Window window_of(const Bound& a, size_t index) {
  const std::string& bytes = a.text(0).bytes();
  const int64_t count = count_characters(bytes);
  const auto clip = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
  };
  const int64_t begin = a.integer(index, 0), end = clip(a.integer(index + 1, count));
  if (begin > count || clip(begin) > end) return {{nullptr, 0}, 0};
  const size_t first = byte_offset(bytes, clip(begin)), last = byte_offset(bytes, end);
  return {std::string_view(bytes).substr(first, last - first), clip(begin)};
}

template <bool at_start>
Value affixed(Context&, const Bound& a) {
  const Sequence* choices = a[1].sequence();
  const Window window = window_of(a, 2);
  const auto matches = [&](const Value& affix) {
    HONE_CHECK(affix.text(), "startswith and endswith need strings, but got '{}'",
               type_name(affix));
    const std::string& bytes = affix.text()->bytes();
    if (!window.bytes.data()) return false;
    return at_start ? window.bytes.starts_with(bytes) : window.bytes.ends_with(bytes);
  };
  if (!choices || choices->kind != SequenceKind::tuple) return matches(a[1]);
  return std::any_of(choices->items.begin(), choices->items.end(), matches);
}

/// Index of the first or last place of the argument, in characters, or -1.
int64_t find_place(const Bound& a, bool last) {
  const Window window = window_of(a, 2);
  if (!window.bytes.data()) return -1;
  std::string bytes(window.bytes), needle = a.text(1).bytes();
  if (last) {
    std::reverse(bytes.begin(), bytes.end());
    std::reverse(needle.begin(), needle.end());
  }
  size_t found = find_bytes(bytes, needle);
  if (found == bytes.npos) return -1;
  if (last) found = bytes.size() - found - needle.size();
  return window.first_character + count_characters(window.bytes.substr(0, found));
}

template <bool last, bool must_exist>
Value place(Context&, const Bound& a) {
  const int64_t found = find_place(a, last);
  HONE_CHECK(found >= 0 || !must_exist, "index: the substring is not found");
  return found;
}

Value count(Context&, const Bound& a) {
  const Window window = window_of(a, 2);
  const std::string& needle = a.text(1).bytes();
  if (!window.bytes.data()) return 0;
  if (needle.empty()) return static_cast<int64_t>(count_characters(window.bytes)) + 1;
  int64_t total = 0;
  size_t at = find_bytes(window.bytes, needle);
  for (; at != window.bytes.npos; ++total)
    at = find_bytes(window.bytes, needle, at + needle.size());
  return total;
}

template <Values (*cut)(const Text&, const Text*, int64_t)>
Value split_list(Context&, const Bound& a) {
  return make_list(cut(a.text(0), optional_text(a, 1), a.integer(2, -1)));
}

Value line_list(Context&, const Bound& a) {
  return make_list(split_lines(a.text(0), a.flag(1)));
}

template <bool last>
Value partition(Context&, const Bound& a) {
  const Values parts =
      last ? split_right(a.text(0), &a.text(1), 1) : split(a.text(0), &a.text(1), 1);
  if (parts.size() == 2) {
    const size_t begin = parts[0].text()->size();
    return make_tuple({parts[0], a.text(0).slice(begin, begin + a.text(1).size()), parts[1]});
  }
  return last ? make_tuple({"", "", a[0]}) : make_tuple({a[0], "", ""});
}

template <bool prefix>
Value without_affix(Context&, const Bound& a) {
  const Text &text = a.text(0), &affix = a.text(1);
  if (prefix && text.bytes().starts_with(affix.bytes()))
    return text.slice(affix.size(), text.size());
  if (!prefix && text.bytes().ends_with(affix.bytes())) {
    return text.slice(0, text.size() - affix.size());
  }
  return a[0];
}

Value replaced(Context&, const Bound& a) {
  const bool markup = a.text(0).markup;
  return replace(a.text(0), a.text(1), markup ? escape_html(a.text(2)) : a.text(2),
                 a.integer(3, -1));
}

Value joined(Context&, const Bound& a) {
  return join(a.text(0), iterate(a[1]));
}

Value formatted(Context&, const Bound& a) {
  return format_braces(a.text(0), a.rest);
}

Value zero_filled(Context&, const Bound& a) {
  const Text& text = a.text(0);
  const bool sign = text.bytes().starts_with('-') || text.bytes().starts_with('+');
  const int64_t width = std::clamp<int64_t>(a.integer(1, 0), 0, kMaxTextBytes);
  Text result = text.slice(0, sign);
  for (int64_t i = length(a[0]); i < width; ++i) result.append("0");
  result.append(text, sign, text.size());
  return result;
}

bool is_ascii_code(int32_t code) {
  return code < 0x80;
}

Value is_ascii(Context& context, const Bound& a) {
  return a.text(0).empty() || truthy(all_characters<is_ascii_code>(context, a));
}

constexpr Function kTextMethods[] = {
    {"capitalize", "_", changed<capitalize>},
    {"casefold", "_", changed<fold_case>},
    {"center", "_ _ _?", justified<'^'>},
    {"count", "_ _ _? _?", count},
    {"endswith", "_ _ _? _?", affixed<false>},
    {"find", "_ _ _? _?", place<false, false>},
    {"format", "_ * **", formatted},
    {"index", "_ _ _? _?", place<false, true>},
    {"isalnum", "_", all_characters<is_alphanumeric>},
    {"isalpha", "_", all_characters<is_alpha>},
    {"isascii", "_", is_ascii},
    {"isdecimal", "_", all_characters<is_decimal>},
    {"isdigit", "_", all_characters<is_digit>},
    {"islower", "_", has_case<is_lower>},
    {"isnumeric", "_", all_characters<is_numeric>},
    {"isspace", "_", all_characters<is_space>},
    {"istitle", "_", has_case<is_title>},
    {"isupper", "_", has_case<is_upper>},
    {"join", "_ _", joined},
    {"ljust", "_ _ _?", justified<'<'>},
    {"lower", "_", changed<lower>},
    {"lstrip", "_ _?", stripped<Side::left>},
    {"partition", "_ _", partition<false>},
    {"removeprefix", "_ _", without_affix<true>},
    {"removesuffix", "_ _", without_affix<false>},
    {"replace", "_ _ _ _?", replaced},
    {"rfind", "_ _ _? _?", place<true, false>},
    {"rindex", "_ _ _? _?", place<true, true>},
    {"rjust", "_ _ _?", justified<'>'>},
    {"rpartition", "_ _", partition<true>},
    {"rsplit", "_ sep? maxsplit?", split_list<split_right>},
    {"rstrip", "_ _?", stripped<Side::right>},
    {"split", "_ sep? maxsplit?", split_list<split>},
    {"splitlines", "_ keepends?", line_list},
    {"startswith", "_ _ _? _?", affixed<true>},
    {"strip", "_ _?", stripped<Side::both>},
    {"swapcase", "_", changed<swap_case>},
    {"title", "_", changed<title>},
    {"upper", "_", changed<upper>},
    {"zfill", "_ _", zero_filled},
};

Value get(Context&, const Bound& a) {
  const Value* found = a[0].dict()->find(a[1]);
  return found ? *found : a.value_or_none(2);
}

Value keys(Context&, const Bound& a) {
  return make_sequence(SequenceKind::view, iterate(a[0]), "dict_keys");
}

Value values(Context&, const Bound& a) {
  Values items;
  for (const auto& [unused, value] : a[0].dict()->entries()) items.push_back(value);
  return make_sequence(SequenceKind::view, std::move(items), "dict_values");
}

Value items(Context&, const Bound& a) {
  Values items;
  for (const auto& [key, value] : a[0].dict()->entries()) items.push_back(make_tuple({key, value}));
  return make_sequence(SequenceKind::view, std::move(items), "dict_items");
}

Value copy(Context&, const Bound& a) {
  return a[0];
}

constexpr Function kDictMethods[] = {
    {"copy", "_", copy}, {"get", "_ _ _?", get},  {"items", "_", items},
    {"keys", "_", keys}, {"values", "_", values},
};

Value count_items(Context&, const Bound& a) {
  const Values& items = a[0].sequence()->items;
  return static_cast<int64_t>(std::count_if(items.begin(), items.end(),
                                            [&](const Value& item) { return equal(item, a[1]); }));
}

Value index_of(Context&, const Bound& a) {
  const Values& items = a[0].sequence()->items;
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const Value& item) { return equal(item, a[1]); });
  HONE_CHECK(found != items.end(), "index: the value is not in the list");
  return static_cast<int64_t>(found - items.begin());
}

constexpr Function kSequenceMethods[] = {
    {"count", "_ _", count_items}, {"index", "_ _", index_of}, {"copy", "_", copy}};

constexpr std::string_view kDictChanges[] = {"clear", "pop", "popitem", "setdefault", "update"};
constexpr std::string_view kListChanges[] = {"append", "clear", "pop",    "reverse",
                                             "insert", "sort",  "extend", "remove"};

std::span<const Function> methods_of(const Value& value) {
  if (value.text()) return kTextMethods;
  if (value.dict()) return kDictMethods;
  if (value.sequence() && value.sequence()->is_indexable()) return kSequenceMethods;
  return {};
}

bool is_change(const Value& value, std::string_view name) {
  const auto among = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (value.dict()) return among(kDictChanges);
  return value.sequence() && value.sequence()->kind == SequenceKind::list && among(kListChanges);
}

}  // namespace

std::optional<Value> find_method(const Value& value, std::string_view name) {
  if (is_change(value, name)) {
    return Undefined{
        fmt::format("'{}' would change a {}, which templates may not do", name, type_name(value))};
  }
  const Function* function = find_function(methods_of(value), name);
  if (!function) return std::nullopt;
  if (function->run == copy && value.sequence() && value.sequence()->kind != SequenceKind::list) {
    return std::nullopt;
  }
  const auto body = [function, value](Context& context, Arguments arguments) {
    arguments.positional.insert(arguments.positional.begin(), value);
    return call_function(*function, context, std::move(arguments));
  };
  return make_callable("method", std::string(name), depth_of(value) + 1, body);
}

}  // namespace hone::text::jinja
