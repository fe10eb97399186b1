#include <algorithm>
#include <cmath>

#include "hone/text/jinja_eval.h"
#include "hone/text/unicode.h"

namespace hone::text::jinja {
namespace {

using Filter = Value (*)(const Value&, const CallArguments&);

int64_t length_of(const Value& value) {
  if (const auto* text = value.text()) {
    return static_cast<int64_t>(character_offsets(text->bytes).size()) - 1;
  }
  if (const auto* list = value.list()) return static_cast<int64_t>(list->size());
  if (const auto* dict = value.dict()) return static_cast<int64_t>(dict->size());
  if (value.is_undefined()) return 0;
  fail_template("a {} has no length", type_name(value));
}

/// value.a.b for the path "a.b"; numbers index lists.
Value walk(Value value, const std::string& path) {
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool index = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    value = index ? item_of(value, int64_t{std::stoll(part)}) : attribute_of(value, part);
    begin = end + 1;
  }
  return value;
}

Value tojson(const Value& value, const CallArguments& arguments) {
  const Value ensure = arguments.get(0, "ensure_ascii", false);
  const Value indent = arguments.get(1, "indent", None{});
  return print_json(value, indent.is_none() ? -1 : static_cast<int>(as_integer(indent, "indent")),
                    truthy(arguments.get(3, "sort_keys", false)), truthy(ensure));
}

Value trim(const Value& value, const CallArguments& arguments) {
  return call_method(print(value), "strip", arguments);
}

Value join(const Value& value, const CallArguments& arguments) {
  const Text separator = print(arguments.get(0, "d", ""));
  const Value* attribute = arguments.find(1, "attribute");
  Text result;
  bool first = true;
  for (const Value& item : iterate(value)) {
    if (!first) result += separator;
    first = false;
    result += print(attribute ? walk(item, as_text(*attribute, "attribute").bytes) : item);
  }
  return result;
}

Value default_filter(const Value& value, const CallArguments& arguments) {
  const bool replace =
      value.is_undefined() || (truthy(arguments.get(1, "boolean", false)) && !truthy(value));
  return replace ? arguments.get(0, "default_value", "") : value;
}

Value items(const Value& value, const CallArguments&) {
  List result;
  if (value.is_undefined()) return result;
  const Dict* dict = value.dict();
  if (!dict) fail_template("'items' needs a dict, but there is a {}", type_name(value));
  for (const auto& [key, item] : *dict) result.push_back(Tuple{{key, item}});
  return result;
}

Value map_filter(const Value& value, const CallArguments& arguments) {
  List result;
  const Value* attribute = arguments.find(99, "attribute");
  for (const Value& item : iterate(value)) {
    if (attribute) {
      Value found = walk(item, as_text(*attribute, "attribute").bytes);
      if (found.is_undefined()) found = arguments.get(99, "default", found);
      result.push_back(found);
      continue;
    }
    if (arguments.positional.empty()) fail_template("'map' needs a filter or attribute=");
    CallArguments rest{List(arguments.positional.begin() + 1, arguments.positional.end()),
                       arguments.named};
    result.push_back(apply_filter(as_text(arguments.positional[0], "a filter").bytes, item, rest));
  }
  return result;
}

/// select, reject, selectattr, rejectattr.
Value select(const Value& value, const CallArguments& arguments, bool by_attribute, bool keep) {
  List result;
  const size_t skip = by_attribute ? 1 : 0;
  if (arguments.positional.size() < skip) fail_template("an attribute's name is needed");
  for (const Value& item : iterate(value)) {
    const Value tested =
        by_attribute ? walk(item, as_text(arguments.positional[0], "attribute").bytes) : item;
    bool holds;
    if (arguments.positional.size() > skip) {
      const auto first = arguments.positional.begin() + static_cast<int64_t>(skip);
      holds = apply_test(as_text(*first, "a test").bytes, tested,
                         {List(first + 1, arguments.positional.end()), {}});
    } else {
      holds = truthy(tested);
    }
    if (holds == keep) result.push_back(item);
  }
  return result;
}

Value lowered(const Value& value) {
  return call_method(print(value), "lower", {});
}

Value sort(const Value& value, const CallArguments& arguments) {
  List result = iterate(value);
  const bool reverse = truthy(arguments.get(0, "reverse", false));
  const bool case_sensitive = truthy(arguments.get(1, "case_sensitive", false));
  const Value* attribute = arguments.find(2, "attribute");
  const auto key = [&](const Value& item) {
    Value found = attribute ? walk(item, as_text(*attribute, "attribute").bytes) : item;
    return !case_sensitive && found.text() ? lowered(found) : found;
  };
  std::stable_sort(result.begin(), result.end(), [&](const Value& a, const Value& b) {
    return reverse ? less(key(b), key(a)) : less(key(a), key(b));
  });
  return result;
}

Value dictsort(const Value& value, const CallArguments& arguments) {
  List pairs = *items(value, {}).list();
  const bool case_sensitive = truthy(arguments.get(0, "case_sensitive", false));
  const size_t by = print(arguments.get(1, "by", "key")).bytes == "value" ? 1 : 0;
  const bool reverse = truthy(arguments.get(2, "reverse", false));
  const auto key = [&](const Value& pair) {
    const Value& found = (*pair.list())[by];
    return !case_sensitive && found.text() ? lowered(found) : found;
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Value& a, const Value& b) {
    return reverse ? less(key(b), key(a)) : less(key(a), key(b));
  });
  return pairs;
}

Value unique(const Value& value, const CallArguments& arguments) {
  List result, seen;
  const bool case_sensitive = truthy(arguments.get(0, "case_sensitive", false));
  for (const Value& item : iterate(value)) {
    const Value key = !case_sensitive && item.text() ? lowered(item) : item;
    const bool known =
        std::any_of(seen.begin(), seen.end(), [&](const Value& v) { return equal(v, key); });
    if (known) continue;
    seen.push_back(key);
    result.push_back(item);
  }
  return result;
}

Value extreme(const Value& value, bool largest) {
  const List list = iterate(value);
  if (list.empty()) return Undefined{};
  Value best = list[0];
  for (const Value& item : list) {
    if (largest ? less(best, item) : less(item, best)) best = item;
  }
  return best;
}

/// The elements of lists one after the other, behind those of `start`.
Value concatenated(const Value& value, const Value& start) {
  List result = *start.list();
  for (const Value& item : iterate(value)) {
    const List part = iterate(item);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

Value sum(const Value& value, const CallArguments& arguments) {
  const Value start = arguments.get(1, "start", 0);
  if (start.list()) return concatenated(value, start);
  const Value* attribute = arguments.find(0, "attribute");
  double total = as_double(start);
  bool integer = start.is_integer();
  for (const Value& item : iterate(value)) {
    const Value found = attribute ? walk(item, as_text(*attribute, "attribute").bytes) : item;
    integer &= found.is_integer();
    total += as_double(found);
  }
  return integer ? Value(static_cast<int64_t>(total)) : Value(total);
}

Value indent(const Value& value, const CallArguments& arguments) {
  const Value width = arguments.get(0, "width", 4);
  const Text padding =
      width.text() ? *width.text()
                   : Text(std::string(std::max<int64_t>(0, as_integer(width, "width")), ' '));
  const bool first = truthy(arguments.get(1, "first", false));
  const bool blank = truthy(arguments.get(2, "blank", false));
  const Text text = print(value);
  Text result;
  for (size_t begin = 0; begin <= text.bytes.size();) {
    const size_t end = std::min(text.bytes.find('\n', begin), text.bytes.size());
    const bool pad = begin == 0 ? first : (blank || end > begin);
    if (pad) result += padding;
    result += text.substr(begin, end + 1 - begin);
    begin = end + 1;
  }
  return result;
}

Value to_int(const Value& value, const CallArguments& arguments) {
  const Value otherwise = arguments.get(0, "default", 0);
  if (value.is_integer()) return as_integer(value, "");
  if (value.is_number()) return static_cast<int64_t>(as_double(value));
  if (!value.text()) return otherwise;
  try {
    size_t end = 0;
    const double number = std::stod(value.text()->bytes, &end);
    return end == value.text()->bytes.size() ? Value(static_cast<int64_t>(number)) : otherwise;
  } catch (const std::logic_error&) {
    return otherwise;
  }
}

Value to_float(const Value& value, const CallArguments& arguments) {
  const Value otherwise = arguments.get(0, "default", 0.0);
  if (value.is_number()) return as_double(value);
  if (!value.text()) return otherwise;
  try {
    size_t end = 0;
    const double number = std::stod(value.text()->bytes, &end);
    return end == value.text()->bytes.size() ? Value(number) : otherwise;
  } catch (const std::logic_error&) {
    return otherwise;
  }
}

/// printf-style formatting: %s, %d, %i, %f with a precision, %%.
Value format(const Value& value, const CallArguments& arguments) {
  const Text& pattern = as_text(value, "a format");
  Text result;
  size_t next = 0;
  for (size_t i = 0; i < pattern.bytes.size(); ++i) {
    if (pattern.bytes[i] != '%') {
      result += pattern.substr(i, 1);
      continue;
    }
    const size_t end = pattern.bytes.find_first_of("sdif%", i + 1);
    if (end == std::string::npos) fail_template("a format ends in '%'");
    const char kind = pattern.bytes[end];
    const std::string options = pattern.bytes.substr(i + 1, end - i - 1);
    i = end;
    if (kind == '%') {
      result += Text("%");
      continue;
    }
    if (next >= arguments.positional.size()) fail_template("too few arguments for a format");
    const Value& argument = arguments.positional[next++];
    if (kind == 's') {
      result += print(argument);
    } else if (kind == 'f') {
      const size_t point = options.find('.');
      const int digits =
          point == std::string::npos ? 6 : std::stoi("0" + options.substr(point + 1));
      result += Text(fmt::format("{:.{}f}", as_double(argument), digits));
    } else {
      std::string number = fmt::format("{}", static_cast<int64_t>(as_double(argument)));
      if (!options.empty() && options[0] == '0' && number.size() < std::stoul(options)) {
        number.insert(0, std::stoul(options) - number.size(), '0');
      }
      result += Text(number);
    }
  }
  return result;
}

Value round_filter(const Value& value, const CallArguments& arguments) {
  const double scale =
      std::pow(10, static_cast<double>(as_integer(arguments.get(0, "precision", 0), "precision")));
  const std::string method = print(arguments.get(1, "method", "common")).bytes;
  if (value.is_integer() && method == "common") return value;
  const double scaled = as_double(value) * scale;
  const double rounded = method == "ceil"    ? std::ceil(scaled)
                         : method == "floor" ? std::floor(scaled)
                                             : std::nearbyint(scaled);
  return rounded / scale;
}

Value batch(const Value& value, const CallArguments& arguments) {
  const int64_t size = as_integer(arguments.get(0, "linecount", 1), "linecount");
  if (size < 1) fail_template("linecount must be positive");
  List result, row;
  for (const Value& item : iterate(value)) {
    row.push_back(item);
    if (static_cast<int64_t>(row.size()) == size) result.push_back(std::exchange(row, {}));
  }
  if (!row.empty()) {
    const Value* fill = arguments.find(1, "fill_with");
    while (fill && static_cast<int64_t>(row.size()) < size) row.push_back(*fill);
    result.push_back(row);
  }
  return result;
}

Value method_filter(const char* name, const Value& value, const CallArguments& arguments) {
  return call_method(print(value), name, arguments);
}

Value edge(const Value& value, bool last) {
  const List list = iterate(value);
  if (list.empty()) return Undefined{};
  return last ? list.back() : list.front();
}

Value reversed(const Value& value) {
  List list = iterate(value);
  std::reverse(list.begin(), list.end());
  if (!value.text()) return list;
  Text text;
  for (const Value& character : list) text += *character.text();
  return text;
}

Value from_json_filter(const Value& value, const CallArguments&) {
  return from_json(parse_json(as_text(value, "JSON").bytes, "from_json"), 1);
}

struct FilterRow {
  const char* name;
  Filter apply;
};

constexpr FilterRow kFilters[] = {
    {"tojson", tojson},
    {"length", [](const Value& v, const CallArguments&) { return Value(length_of(v)); }},
    {"count", [](const Value& v, const CallArguments&) { return Value(length_of(v)); }},
    {"trim", trim},
    {"string", [](const Value& v, const CallArguments&) { return Value(print(v)); }},
    {"join", join},
    {"default", default_filter},
    {"d", default_filter},
    {"list", [](const Value& v, const CallArguments&) { return Value(iterate(v)); }},
    {"items", items},
    {"map", map_filter},
    {"select", [](const Value& v, const CallArguments& a) { return select(v, a, false, true); }},
    {"reject", [](const Value& v, const CallArguments& a) { return select(v, a, false, false); }},
    {"selectattr", [](const Value& v, const CallArguments& a) { return select(v, a, true, true); }},
    {"rejectattr",
     [](const Value& v, const CallArguments& a) { return select(v, a, true, false); }},
    {"safe", [](const Value& v, const CallArguments&) { return v; }},
    {"escape",
     [](const Value& v, const CallArguments&) {
       Text text = *call_method(print(v), "replace", {{"&", "&amp;"}, {}}).text();
       for (auto [from, to] :
            {std::pair{"<", "&lt;"}, {">", "&gt;"}, {"'", "&#39;"}, {"\"", "&#34;"}}) {
         text = *call_method(text, "replace", {{from, to}, {}}).text();
       }
       return Value(text);
     }},
    {"first", [](const Value& v, const CallArguments&) { return edge(v, false); }},
    {"last", [](const Value& v, const CallArguments&) { return edge(v, true); }},
    {"reverse", [](const Value& v, const CallArguments&) { return reversed(v); }},
    {"dictsort", dictsort},
    {"sort", sort},
    {"unique", unique},
    {"min", [](const Value& v, const CallArguments&) { return extreme(v, false); }},
    {"max", [](const Value& v, const CallArguments&) { return extreme(v, true); }},
    {"sum", sum},
    {"upper", [](const Value& v, const CallArguments& a) { return method_filter("upper", v, a); }},
    {"lower", [](const Value& v, const CallArguments& a) { return method_filter("lower", v, a); }},
    {"title", [](const Value& v, const CallArguments& a) { return method_filter("title", v, a); }},
    {"capitalize",
     [](const Value& v, const CallArguments& a) { return method_filter("capitalize", v, a); }},
    {"replace",
     [](const Value& v, const CallArguments& a) { return method_filter("replace", v, a); }},
    {"indent", indent},
    {"int", to_int},
    {"float", to_float},
    {"format", format},
    {"round", round_filter},
    {"abs",
     [](const Value& v, const CallArguments&) {
       return v.is_integer() ? Value(std::abs(as_integer(v, ""))) : Value(std::abs(as_double(v)));
     }},
    {"batch", batch},
    {"from_json", from_json_filter},
    {"attr",
     [](const Value& v, const CallArguments& a) {
       return attribute_of(v, print(a.get(0, "name", "")).bytes);
     }},
    {"wordcount",
     [](const Value& v, const CallArguments&) {
       return Value(static_cast<int64_t>(call_method(print(v), "split", {}).list()->size()));
     }},
};

}  // namespace

const Value* CallArguments::find(size_t index, const std::string& name) const {
  if (index < positional.size()) return &positional[index];
  const auto found = named.find(name);
  return found == named.end() ? nullptr : &found->second;
}

Value CallArguments::get(size_t index, const std::string& name, Value otherwise) const {
  const Value* found = find(index, name);
  return found ? *found : otherwise;
}

Value apply_filter(const std::string& name, const Value& value, const CallArguments& arguments) {
  // HF's tojson takes (x, ensure_ascii, indent, separators, sort_keys).
  for (const auto& row : kFilters) {
    if (name == row.name) return row.apply(value, arguments);
  }
  if (name == "e") return apply_filter("escape", value, arguments);
  fail_template("no filter named '{}'", name);
}

}  // namespace hone::text::jinja
