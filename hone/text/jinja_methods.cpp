#include <unicode/uchar.h>

#include <algorithm>

#include "hone/text/jinja_eval.h"
#include "hone/text/unicode.h"

namespace hone::text::jinja {
namespace {

using Method = Value (*)(const Text&, const CallArguments&);

/// Calls body(code point, mark) for each character.
template <typename Body>
void for_each_character(const Text& text, const Body& body) {
  for (size_t i = 0; i < text.bytes.size();) {
    const Decoded point = decode_at(text.bytes, static_cast<int64_t>(i));
    body(point.code, text.marks[i]);
    i += point.size;
  }
}

/// The text with each character mapped.
template <typename Map>
Text mapped(const Text& text, const Map& map) {
  Text result;
  for_each_character(text, [&](char32_t c, char mark) {
    std::string bytes;
    append_utf8(bytes, map(c));
    result += Text(bytes, mark);
  });
  return result;
}

char32_t upper(char32_t c) {
  return static_cast<char32_t>(u_toupper(static_cast<UChar32>(c)));
}
char32_t lower(char32_t c) {
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

Text title(const Text& text) {
  bool start = true;
  return mapped(text, [&](char32_t c) {
    const bool letter = is_letter(c);
    const char32_t result = letter && start ? upper(c) : lower(c);
    start = !letter;
    return result;
  });
}

Text capitalize(const Text& text) {
  bool first = true;
  return mapped(text,
                [&](char32_t c) { return std::exchange(first, false) ? upper(c) : lower(c); });
}

Value strip(const Text& text, const CallArguments& arguments, bool left, bool right) {
  const Value chars = arguments.get(0, "chars", None{});
  const auto offsets = character_offsets(text.bytes);
  size_t begin = 0, end = offsets.size() - 1;
  const auto stripped = [&](size_t i) {
    const std::string c = text.bytes.substr(offsets[i], offsets[i + 1] - offsets[i]);
    if (chars.text()) return chars.text()->bytes.find(c) != std::string::npos;
    return is_white_space(decode_at(c, 0).code);
  };
  while (left && begin < end && stripped(begin)) ++begin;
  while (right && end > begin && stripped(end - 1)) --end;
  return text.substr(offsets[begin], offsets[end] - offsets[begin]);
}

Value split_white_space(const Text& text, int64_t limit) {
  List parts;
  Text rest = *strip(text, {}, true, false).text();
  while (!rest.bytes.empty()) {
    size_t end = 0;
    while (end < rest.bytes.size()) {
      const Decoded point = decode_at(rest.bytes, static_cast<int64_t>(end));
      if (is_white_space(point.code)) break;
      end += point.size;
    }
    if (limit >= 0 && static_cast<int64_t>(parts.size()) >= limit) {
      parts.push_back(*strip(rest, {}, false, true).text());
      return parts;
    }
    parts.push_back(rest.substr(0, end));
    rest = *strip(rest.substr(end), {}, true, false).text();
  }
  return parts;
}

Value split(const Text& text, const CallArguments& arguments) {
  const Value separator = arguments.get(0, "sep", None{});
  const int64_t limit = as_integer(arguments.get(1, "maxsplit", -1), "maxsplit");
  if (separator.is_none()) return split_white_space(text, limit);
  const std::string& mark = as_text(separator, "a separator").bytes;
  if (mark.empty()) fail_template("a separator must not be empty");
  List parts;
  size_t begin = 0, found;
  while ((limit < 0 || static_cast<int64_t>(parts.size()) < limit) &&
         (found = text.bytes.find(mark, begin)) != std::string::npos) {
    parts.push_back(text.substr(begin, found - begin));
    begin = found + mark.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

Value rsplit(const Text& text, const CallArguments& arguments) {
  const std::string mark = as_text(arguments.get(0, "sep", " "), "a separator").bytes;
  const int64_t limit = as_integer(arguments.get(1, "maxsplit", -1), "maxsplit");
  List parts;
  size_t end = text.bytes.size();
  while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
    if (end < mark.size()) break;
    const size_t found = text.bytes.rfind(mark, end - mark.size());
    if (found == std::string::npos) break;
    parts.insert(parts.begin(), text.substr(found + mark.size(), end - found - mark.size()));
    end = found;
  }
  parts.insert(parts.begin(), text.substr(0, end));
  return parts;
}

Value splitlines(const Text& text, const CallArguments&) {
  List lines;
  for (size_t begin = 0; begin < text.bytes.size();) {
    const size_t end = std::min(text.bytes.find_first_of("\r\n", begin), text.bytes.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + (text.bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return lines;
}

Value replace(const Text& text, const CallArguments& arguments) {
  const std::string from = as_text(arguments.get(0, "old", ""), "what is replaced").bytes;
  const Text to = as_text(arguments.get(1, "new", ""), "a replacement");
  const Value limit_value = arguments.get(2, "count", None{});
  int64_t limit = limit_value.is_none() ? -1 : as_integer(limit_value, "count");
  if (from.empty()) fail_template("replace needs a string that is not empty");
  Text result;
  size_t begin = 0, found;
  while (limit-- != 0 && (found = text.bytes.find(from, begin)) != std::string::npos) {
    result += text.substr(begin, found - begin);
    result += to;
    begin = found + from.size();
  }
  return result += text.substr(begin);
}

/// startswith and endswith; the argument may be a list of strings.
bool has_edge(const Text& text, const CallArguments& arguments, bool start) {
  const Value edges = arguments.get(0, "prefix", "");
  const List list = edges.list() ? *edges.list() : List{edges};
  return std::any_of(list.begin(), list.end(), [&](const Value& edge) {
    const std::string& part = as_text(edge, "a prefix or suffix").bytes;
    return start ? text.bytes.starts_with(part) : text.bytes.ends_with(part);
  });
}

int64_t find_character(const Text& text, const CallArguments& arguments, bool last) {
  const std::string part = as_text(arguments.get(0, "sub", ""), "what is looked for").bytes;
  const size_t found = last ? text.bytes.rfind(part) : text.bytes.find(part);
  if (found == std::string::npos) return -1;
  return static_cast<int64_t>(character_offsets(text.bytes.substr(0, found)).size()) - 1;
}

int64_t count_occurrences(const Text& text, const CallArguments& arguments) {
  const std::string part = as_text(arguments.get(0, "sub", ""), "what is counted").bytes;
  if (part.empty()) return static_cast<int64_t>(character_offsets(text.bytes).size());
  int64_t count = 0;
  for (size_t i = 0; (i = text.bytes.find(part, i)) != std::string::npos; i += part.size()) ++count;
  return count;
}

/// As Python, which puts the odd blank left if the width is odd.
Value center(const Text& text, const CallArguments& arguments) {
  const int64_t width = as_integer(arguments.get(0, "width", 80), "a width");
  const auto length = static_cast<int64_t>(character_offsets(text.bytes).size()) - 1;
  if (width > 10000) fail_template("a width of {} is too large", width);
  const int64_t room = std::max<int64_t>(0, width - length);
  const int64_t left = room / 2 + (room & width & 1);
  Text result(std::string(left, ' '));
  result += text;
  return result += Text(std::string(room - left, ' '));
}

template <typename Test>
bool all_characters(const Text& text, const Test& test) {
  bool all = !text.bytes.empty();
  for_each_character(text, [&](char32_t c, char) { all = all && test(c); });
  return all;
}

/// str.format with {}, {0} and {name}.
Value format_braces(const Text& text, const CallArguments& arguments) {
  Text result;
  size_t next = 0;
  for (size_t i = 0; i < text.bytes.size(); ++i) {
    const char c = text.bytes[i];
    const bool doubled = i + 1 < text.bytes.size() && text.bytes[i + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      result += text.substr(i++, 1);
    } else if (c == '{') {
      const size_t end = text.bytes.find('}', i);
      if (end == std::string::npos) fail_template("a format has '{{' without '}}'");
      const std::string name = text.bytes.substr(i + 1, end - i - 1);
      const bool digits = name.find_first_not_of("0123456789") == std::string::npos;
      const Value* value = digits ? arguments.find(name.empty() ? next++ : std::stoul(name), "")
                                  : arguments.find(size_t{1} << 30, name);
      if (!value) fail_template("a format has no argument '{}'", name);
      result += print(*value);
      i = end;
    } else {
      result += text.substr(i, 1);
    }
  }
  return result;
}

struct MethodRow {
  const char* name;
  Method call;
};

constexpr MethodRow kTextMethods[] = {
    {"strip", [](const Text& t, const CallArguments& a) { return strip(t, a, true, true); }},
    {"lstrip", [](const Text& t, const CallArguments& a) { return strip(t, a, true, false); }},
    {"rstrip", [](const Text& t, const CallArguments& a) { return strip(t, a, false, true); }},
    {"split", split},
    {"rsplit", rsplit},
    {"splitlines", splitlines},
    {"replace", replace},
    {"upper", [](const Text& t, const CallArguments&) { return Value(mapped(t, upper)); }},
    {"lower", [](const Text& t, const CallArguments&) { return Value(mapped(t, lower)); }},
    {"title", [](const Text& t, const CallArguments&) { return Value(title(t)); }},
    {"capitalize", [](const Text& t, const CallArguments&) { return Value(capitalize(t)); }},
    {"startswith",
     [](const Text& t, const CallArguments& a) { return Value(has_edge(t, a, true)); }},
    {"endswith",
     [](const Text& t, const CallArguments& a) { return Value(has_edge(t, a, false)); }},
    {"find",
     [](const Text& t, const CallArguments& a) { return Value(find_character(t, a, false)); }},
    {"rfind",
     [](const Text& t, const CallArguments& a) { return Value(find_character(t, a, true)); }},
    {"count", [](const Text& t, const CallArguments& a) { return Value(count_occurrences(t, a)); }},
    {"join",
     [](const Text& t, const CallArguments& a) {
       return apply_filter("join", a.get(0, "iterable", List{}), {{t}, {}});
     }},
    {"format", format_braces},
    {"center", center},
    {"isdigit",
     [](const Text& t, const CallArguments&) { return Value(all_characters(t, is_number)); }},
    {"isalpha",
     [](const Text& t, const CallArguments&) { return Value(all_characters(t, is_letter)); }},
    {"isalnum",
     [](const Text& t, const CallArguments&) {
       return Value(all_characters(t, [](char32_t c) { return is_letter(c) || is_number(c); }));
     }},
    {"isspace",
     [](const Text& t, const CallArguments&) { return Value(all_characters(t, is_white_space)); }},
    {"removeprefix",
     [](const Text& t, const CallArguments& a) {
       const std::string part = as_text(a.get(0, "prefix", ""), "a prefix").bytes;
       return Value(t.bytes.starts_with(part) ? t.substr(part.size()) : t);
     }},
    {"removesuffix",
     [](const Text& t, const CallArguments& a) {
       const std::string part = as_text(a.get(0, "suffix", ""), "a suffix").bytes;
       return Value(t.bytes.ends_with(part) ? t.substr(0, t.bytes.size() - part.size()) : t);
     }},
};

constexpr const char* kDictMethods[] = {"items", "keys", "values", "get"};

Value call_dict_method(const Dict& dict, const std::string& name, const CallArguments& arguments) {
  if (name == "get") {
    const Value* found = find(dict, print(arguments.get(0, "key", "")).bytes);
    return found ? *found : arguments.get(1, "default", None{});
  }
  List result;
  for (const auto& [key, value] : dict) {
    if (name == "keys") result.push_back(key);
    if (name == "values") result.push_back(value);
    if (name == "items") result.push_back(Tuple{{key, value}});
  }
  return result;
}

}  // namespace

bool has_method(const Value& object, const std::string& name) {
  if (object.text()) {
    return std::any_of(std::begin(kTextMethods), std::end(kTextMethods),
                       [&](const MethodRow& row) { return name == row.name; });
  }
  if (const Dict* dict = object.dict()) {
    return !find(*dict, name) && std::any_of(std::begin(kDictMethods), std::end(kDictMethods),
                                             [&](const char* method) { return name == method; });
  }
  return false;
}

Value call_method(const Value& object, const std::string& name, const CallArguments& arguments) {
  if (const Dict* dict = object.dict()) return call_dict_method(*dict, name, arguments);
  for (const auto& row : kTextMethods) {
    if (name == row.name) return row.call(*object.text(), arguments);
  }
  fail_template("a {} has no method '{}'", type_name(object), name);
}

Value attribute_of(const Value& value, const std::string& name) {
  if (const Dict* dict = value.dict()) {
    const Value* found = find(*dict, name);
    return found ? *found : Value(Undefined{name});
  }
  if (const auto* space = value.get<std::shared_ptr<Namespace>>()) {
    const auto found = (*space)->members.find(name);
    return found == (*space)->members.end() ? Value(Undefined{name}) : found->second;
  }
  if (const auto* undefined = value.get<Undefined>()) {
    fail_template("'{}' is undefined, so it has no '{}'", undefined->name, name);
  }
  return Undefined{name};
}

Value item_of(const Value& value, const Value& index) {
  if (index.text()) {
    if (value.list() || value.text()) return Undefined{index.text()->bytes};
    return attribute_of(value, index.text()->bytes);
  }
  if (value.is_undefined()) fail_template("an undefined value has no elements");
  if (!index.is_integer() || (!value.list() && !value.text())) return Undefined{"element"};
  const List list = value.list() ? *value.list() : iterate(value);
  int64_t place = as_integer(index, "an index");
  if (place < 0) place += static_cast<int64_t>(list.size());
  const bool inside = place >= 0 && place < static_cast<int64_t>(list.size());
  return inside ? list[place] : Value(Undefined{"element"});
}

bool apply_test(const std::string& name, const Value& value, const CallArguments& arguments) {
  const auto operand = [&] { return arguments.get(0, "other", Undefined{}); };
  if (name == "defined") return !value.is_undefined();
  if (name == "undefined") return value.is_undefined();
  if (name == "none") return value.is_none();
  if (name == "string") return value.text();
  if (name == "mapping") return value.dict();
  if (name == "sequence") return value.list() || value.dict() || value.text();
  if (name == "iterable") {
    return value.list() || value.dict() || value.text() || value.is_undefined();
  }
  if (name == "boolean") return value.get<bool>();
  if (name == "true") return value.get<bool>() && truthy(value);
  if (name == "false") return value.get<bool>() && !truthy(value);
  if (name == "integer") return value.get<int64_t>();
  if (name == "float") return value.get<double>();
  if (name == "number") return value.is_number();
  if (name == "callable") return value.get<std::shared_ptr<Callable>>();
  if (name == "odd") return as_integer(value, "an odd number") % 2 != 0;
  if (name == "even") return as_integer(value, "an even number") % 2 == 0;
  if (name == "divisibleby") return as_integer(value, "") % as_integer(operand(), "divisor") == 0;
  if (name == "upper" || name == "lower") {
    return equal(value, call_method(print(value), name, {}));
  }
  if (name == "eq" || name == "equalto" || name == "sameas") return equal(value, operand());
  if (name == "ne") return !equal(value, operand());
  if (name == "lt") return less(value, operand());
  if (name == "gt") return less(operand(), value);
  if (name == "le") return !less(operand(), value);
  if (name == "ge") return !less(value, operand());
  if (name == "in") {
    for (const Value& item : iterate(operand())) {
      if (equal(item, value)) return true;
    }
    return false;
  }
  fail_template("no test named '{}'", name);
}

}  // namespace hone::text::jinja
