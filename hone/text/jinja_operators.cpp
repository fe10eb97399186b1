#include "hone/text/jinja_operators.h"

#include <algorithm>

#include "hone/text/jinja_methods.h"
#include "hone/text/jinja_object.h"

namespace hone::text::jinja {
namespace {

bool equal_sequences(const Sequence& a, const Sequence& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.kind == SequenceKind::iterator) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), equal);
}

bool equal_dicts(const Dict& a, const Dict& b) {
  if (a.entries().size() != b.entries().size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(entry.first);
    return other && equal(entry.second, *other);
  });
}

std::partial_ordering order_sequences(const Sequence& a, const Sequence& b) {
  const size_t count = std::min(a.items.size(), b.items.size());
  for (size_t i = 0; i < count; ++i) {
    if (!equal(a.items[i], b.items[i])) return order(a.items[i], b.items[i]);
  }
  return a.items.size() <=> b.items.size();
}

bool are_ordered(const Sequence* a, const Sequence* b) {
  return a && b && a->kind == b->kind && a->kind <= SequenceKind::tuple;
}

}  // namespace

bool truthy(const Value& value) {
  if (value.is_int()) return value.as_int() != 0;
  if (value.is_float()) return value.as_float() != 0;
  if (const Text* text = value.text()) return !text->empty();
  if (const Dict* dict = value.dict()) return !dict->entries().empty();
  if (const Sequence* sequence = value.sequence()) {
    return !sequence->has_length() || !sequence->items.empty();
  }
  return value.object() != nullptr;
}

bool equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  if (a.is_number() && b.is_number()) return a.as_float() == b.as_float();
  if (a.data().index() != b.data().index()) return false;
  if (const Text* text = a.text()) return text->bytes() == b.text()->bytes();
  if (const Sequence* sequence = a.sequence()) return equal_sequences(*sequence, *b.sequence());
  if (const Dict* dict = a.dict()) return dict == b.dict() || equal_dicts(*dict, *b.dict());
  return a.object() == b.object();
}

std::partial_ordering order(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() <=> b.as_int();
  if (a.is_number() && b.is_number()) return a.as_float() <=> b.as_float();
  if (a.text() && b.text()) return a.text()->bytes() <=> b.text()->bytes();
  if (are_ordered(a.sequence(), b.sequence())) return order_sequences(*a.sequence(), *b.sequence());
  for (const Value* value : {&a, &b}) {
    if (value->undefined()) fail_input("{}", value->undefined()->message);
  }
  fail_input("'<' is not supported between '{}' and '{}'", type_name(a), type_name(b));
}

bool compare(Comparison comparison, const Value& a, const Value& b) {
  switch (comparison) {
    case Comparison::equal:
      return equal(a, b);
    case Comparison::not_equal:
      return !equal(a, b);
    case Comparison::less:
      return order(a, b) < 0;
    case Comparison::less_equal:
      return order(a, b) <= 0;
    case Comparison::greater:
      return order(a, b) > 0;
    case Comparison::greater_equal:
      return order(a, b) >= 0;
    case Comparison::in:
      return contains(b, a);
    case Comparison::not_in:
      return !contains(b, a);
  }
  return false;
}

bool contains(const Value& container, const Value& item) {
  if (const Text* text = container.text()) {
    HONE_CHECK(item.text(), "'in <string>' requires a string on its left, but got '{}'",
               type_name(item));
    return find_bytes(text->bytes(), item.text()->bytes()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) return dict->find(item) != nullptr;
  const Values items = iterate(container);
  return std::any_of(items.begin(), items.end(), [&](const Value& v) { return equal(v, item); });
}

bool is_iterable(const Value& value) {
  return value.is_undefined() || value.text() || value.sequence() || value.dict();
}

Values iterate(const Value& value) {
  Values items;
  if (const Text* text = value.text()) {
    HONE_CHECK(count_characters(text->bytes()) <= kMaxItems,
               "a list would have more than {} elements", kMaxItems);
    const std::vector<size_t> offsets = character_offsets(text->bytes());
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      items.push_back(text->slice(offsets[i], offsets[i + 1]));
    }
  } else if (const Dict* dict = value.dict()) {
    for (const auto& [key, unused] : dict->entries()) items.push_back(key);
  } else if (const Sequence* sequence = value.sequence()) {
    items.assign(sequence->items.begin() + sequence->next, sequence->items.end());
    if (!sequence->has_length()) sequence->next = sequence->items.size();
  } else {
    HONE_CHECK(value.is_undefined(), "'{}' object is not iterable", type_name(value));
  }
  return items;
}

int64_t length(const Value& value) {
  if (value.is_undefined()) return 0;
  if (const Text* text = value.text()) return count_characters(text->bytes());
  if (const Dict* dict = value.dict()) return dict->entries().size();
  const Sequence* sequence = value.sequence();
  HONE_CHECK(sequence && sequence->has_length(), "object of type '{}' has no length",
             type_name(value));
  return sequence->items.size();
}

namespace {

/// The object as jinja2's messages name it.
std::string described(const Value& value) {
  return value.is_none() ? "None" : type_name(value) + " object";
}

Value missing_attribute(const Value& value, std::string_view name) {
  return Undefined{fmt::format("'{}' has no attribute '{}'", described(value), name)};
}

void refuse_undefined(const Value& value) {
  if (const Undefined* undefined = value.undefined()) fail_input("{}", undefined->message);
}

std::optional<Value> find_key(const Value& value, const Value& key) {
  const Dict* dict = value.dict();
  const bool hashable = !key.dict() && !(key.sequence() && key.sequence()->kind == SequenceKind{});
  const Value* found = dict && hashable ? dict->find(key) : nullptr;
  if (!found) return std::nullopt;
  return *found;
}

std::optional<Value> find_index(const Value& value, int64_t index) {
  const bool indexable = value.sequence() && value.sequence()->is_indexable();
  if (!indexable && !value.text()) return std::nullopt;
  const int64_t count = length(value);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  if (indexable) return value.sequence()->items[index];
  const std::string& bytes = value.text()->bytes();
  const size_t begin = byte_offset(bytes, index);
  return value.text()->slice(begin, begin + character_at(bytes, begin).size);
}

}  // namespace

std::optional<Value> own_attribute(const Value& value, std::string_view name) {
  if (name.starts_with("__")) return missing_attribute(value, name);
  if (const Object* object = value.object()) return object->attribute(name);
  const Sequence* sequence = value.sequence();
  if (sequence && sequence->label == "group" && name == "grouper") return sequence->items[0];
  if (sequence && sequence->label == "group" && name == "list") return sequence->items[1];
  return find_method(value, name);
}

Value attribute(const Value& value, std::string_view name) {
  refuse_undefined(value);
  if (auto found = own_attribute(value, name)) return *found;
  if (auto found = find_key(value, name)) return *found;
  return missing_attribute(value, name);
}

Value item(const Value& value, const Value& key) {
  refuse_undefined(value);
  if (auto found = find_key(value, key)) return *found;
  if (key.is_int()) {
    if (auto found = find_index(value, key.as_int())) return *found;
  }
  if (!key.text()) return Undefined{fmt::format("{} has no such element", described(value))};
  if (auto found = own_attribute(value, key.text()->bytes())) return *found;
  return missing_attribute(value, key.text()->bytes());
}

}  // namespace hone::text::jinja
