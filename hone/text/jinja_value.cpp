#include "hone/text/jinja_value.h"

#include <cmath>

#include "hone/text/unicode.h"

namespace hone::text::jinja {

Value::Value(Tuple tuple) : variant_(std::make_shared<Tuple>(std::move(tuple))) {}

const List* Value::list() const {
  const auto* tuple = get<std::shared_ptr<Tuple>>();
  return tuple ? &(*tuple)->items : pointee<List>();
}

Text Text::substr(size_t begin, size_t count) const {
  Text result;
  result.bytes = bytes.substr(begin, count);
  result.marks = marks.substr(begin, count);
  return result;
}

Text& Text::operator+=(const Text& other) {
  bytes += other.bytes;
  marks += other.marks;
  return *this;
}

bool truthy(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<int64_t>()) return *integer != 0;
  if (const auto* number = value.get<double>()) return *number != 0;
  if (const auto* text = value.text()) return !text->bytes.empty();
  if (const auto* list = value.list()) return !list->empty();
  if (const auto* dict = value.dict()) return !dict->empty();
  return !value.is_undefined() && !value.is_none();
}

double as_double(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<int64_t>()) return static_cast<double>(*integer);
  if (const auto* number = value.get<double>()) return *number;
  fail_template("a number is needed, but there is a {}", type_name(value));
}

int64_t as_integer(const Value& value, const char* what) {
  if (const auto* flag = value.get<bool>()) return *flag;
  if (const auto* integer = value.get<int64_t>()) return *integer;
  fail_template("{} must be an integer, but it is a {}", what, type_name(value));
}

const Text& as_text(const Value& value, const char* what) {
  const Text* text = value.text();
  if (!text) fail_template("{} must be a string, but it is a {}", what, type_name(value));
  return *text;
}

const char* type_name(const Value& value) {
  static constexpr const char* kNames[] = {"undefined", "None",     "bool", "int",
                                           "float",     "str",      "list", "dict",
                                           "namespace", "function", "tuple"};
  return kNames[value.variant().index()];
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_integer() && b.is_integer()) return as_integer(a, "") == as_integer(b, "");
    return as_double(a) == as_double(b);
  }
  if (a.variant().index() != b.variant().index()) return false;
  if (const auto* text = a.text()) return *text == *b.text();
  if (const auto* list = a.list()) {
    return list->size() == b.list()->size() &&
           std::equal(list->begin(), list->end(), b.list()->begin(), equal);
  }
  if (const auto* dict = a.dict()) {
    if (dict->size() != b.dict()->size()) return false;
    for (const auto& [key, value] : *dict) {
      const Value* other = find(*b.dict(), key.bytes);
      if (!other || !equal(value, *other)) return false;
    }
    return true;
  }
  if (const auto* function = a.get<std::shared_ptr<Callable>>()) {
    return *function == *b.get<std::shared_ptr<Callable>>();
  }
  if (const auto* space = a.get<std::shared_ptr<Namespace>>()) {
    return *space == *b.get<std::shared_ptr<Namespace>>();
  }
  return true;
}

bool less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_integer() && b.is_integer()) return as_integer(a, "") < as_integer(b, "");
    return as_double(a) < as_double(b);
  }
  if (a.text() && b.text()) return a.text()->bytes < b.text()->bytes;
  if (a.list() && b.list()) {
    return std::lexicographical_compare(a.list()->begin(), a.list()->end(), b.list()->begin(),
                                        b.list()->end(), less);
  }
  fail_template("a {} and a {} have no order", type_name(a), type_name(b));
}

const Value* find(const Dict& dict, const std::string& key) {
  for (const auto& [name, value] : dict) {
    if (name.bytes == key) return &value;
  }
  return nullptr;
}

Value from_json(const Json& json, char mark) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return json.get<int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return Text(json.get<std::string>(), mark);
    case Json::value_t::array: {
      List list;
      for (const auto& item : json) list.push_back(from_json(item, mark));
      return list;
    }
    case Json::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) {
        dict.emplace_back(Text(key, mark), from_json(item, mark));
      }
      return dict;
    }
    default:
      return None{};
  }
}

std::vector<size_t> character_offsets(const std::string& text) {
  std::vector<size_t> offsets;
  size_t i = 0;
  while (i < text.size()) {
    offsets.push_back(i);
    i += decode_at(text, static_cast<int64_t>(i)).size;
  }
  offsets.push_back(text.size());
  return offsets;
}

List iterate(const Value& value) {
  if (const auto* list = value.list()) return *list;
  List items;
  if (const auto* dict = value.dict()) {
    for (const auto& [key, item] : *dict) items.emplace_back(key);
    return items;
  }
  if (const auto* text = value.text()) {
    const auto offsets = character_offsets(text->bytes);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      items.emplace_back(text->substr(offsets[i], offsets[i + 1] - offsets[i]));
    }
    return items;
  }
  if (const auto* undefined = value.get<Undefined>()) {
    (void)undefined;
    return items;
  }
  fail_template("a {} cannot be iterated over", type_name(value));
}

}  // namespace hone::text::jinja
