#include "hone/text/jinja_value.h"

#include <cmath>

#include "hone/text/jinja_object.h"
#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

/// Takes a part into the depth and weight of what contains it.
void add_part(int& depth, uint32_t& weight, const Value& part) {
  depth = std::max(depth, depth_of(part) + 1);
  weight += weight_of(part);
  HONE_CHECK(depth <= kMaxDepth, "lists and dicts are nested deeper than {}", kMaxDepth);
  HONE_CHECK(weight <= kMaxWeight, "a list or dict would have more than {} parts", kMaxWeight);
}

size_t hash_number(double number) {
  // Integers and floats that are equal must have the same hash.
  return std::hash<double>()(number == 0 ? 0.0 : number);
}

size_t hash_items(const Sequence& sequence) {
  size_t hash = 17;
  for (const Value& item : sequence.items) hash = hash * 1000003 ^ ValueHash()(item);
  return hash;
}

}  // namespace

int64_t Value::as_int() const {
  const auto* flag = std::get_if<bool>(&data_);
  return flag ? int64_t{*flag} : std::get<int64_t>(data_);
}

double Value::as_float() const {
  return is_float() ? std::get<double>(data_) : static_cast<double>(as_int());
}

Value make_sequence(SequenceKind kind, Values items, std::string label) {
  HONE_CHECK(items.size() <= kMaxItems, "a list would have more than {} elements", kMaxItems);
  Sequence sequence{.kind = kind, .items = std::move(items), .label = std::move(label)};
  for (const Value& item : sequence.items) add_part(sequence.depth, sequence.weight, item);
  return std::make_shared<const Sequence>(std::move(sequence));
}

void push(Values& items, Value item) {
  HONE_CHECK(items.size() < kMaxItems, "a list would have more than {} elements", kMaxItems);
  items.push_back(std::move(item));
}

size_t ValueHash::operator()(const Value& value) const {
  if (value.is_number()) return hash_number(value.as_float());
  if (const Text* text = value.text()) return std::hash<std::string>()(text->bytes());
  if (const Object* object = value.object()) return std::hash<const Object*>()(object);
  const Sequence* sequence = value.sequence();
  if (sequence && sequence->kind == SequenceKind::tuple) return hash_items(*sequence);
  const bool changeable =
      sequence && (sequence->kind == SequenceKind::list || sequence->kind == SequenceKind::view);
  HONE_CHECK(!value.dict() && !changeable, "unhashable type: '{}'", type_name(value));
  return value.data().index();
}

bool ValueEqual::operator()(const Value& a, const Value& b) const {
  return equal(a, b);
}

void Dict::set(const Value& key, Value value) {
  const auto [place, added] = index_.try_emplace(key, entries_.size());
  add_part(depth_, weight_, value);
  if (added) {
    add_part(depth_, weight_, key);
    entries_.emplace_back(key, std::move(value));
  } else {
    entries_[place->second].second = std::move(value);
  }
}

const Value* Dict::find(const Value& key) const {
  ValueHash()(
      key);  // unordered_map hashes only when it has many keys, but a list is refused always
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &entries_[found->second].second;
}

int depth_of(const Value& value) {
  if (const auto* sequence = value.sequence()) return sequence->depth;
  if (const auto* dict = value.dict()) return dict->depth();
  if (const auto* object = value.object()) return object->depth();
  return 0;
}

uint32_t weight_of(const Value& value) {
  if (const auto* text = value.text()) return 1 + static_cast<uint32_t>(text->size() / 64);
  if (const auto* sequence = value.sequence()) return sequence->weight;
  if (const auto* dict = value.dict()) return dict->weight();
  return 1;
}

std::string type_name(const Value& value) {
  static constexpr const char* kNames[] = {"Undefined", "NoneType", "bool", "int",
                                           "float",     "str",      "",     "dict"};
  static constexpr const char* kSequences[] = {"list", "tuple", "range"};
  if (const auto* object = value.object()) return std::string(object->type_name());
  const auto* sequence = value.sequence();
  if (!sequence) return kNames[value.data().index()];
  return sequence->is_indexable() ? kSequences[static_cast<int>(sequence->kind)] : sequence->label;
}

namespace {

Value number_from_json(const Json& json) {
  if (json.is_number_float()) return json.get<double>();
  HONE_CHECK(!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX,
             "the integer {} is larger than 64 bits", json.dump());
  return json.get<int64_t>();
}

Text text_from_json(const std::string& bytes, uint8_t marks) {
  HONE_CHECK(is_utf8(bytes), "a string of the messages, tools or variables is not UTF-8");
  return Text(bytes, marks);
}

Value value_from_json(const Json& json, uint8_t marks, int depth) {
  HONE_CHECK(depth < kMaxDepth, "lists and dicts are nested deeper than {}", kMaxDepth);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number()) return number_from_json(json);
  if (json.is_string()) return text_from_json(json.get_ref<const std::string&>(), marks);
  if (json.is_array()) {
    Values items;
    for (const Json& item : json) push(items, value_from_json(item, marks, depth + 1));
    return make_list(std::move(items));
  }
  if (!json.is_object()) return None{};
  Dict dict;
  for (const auto& [key, value] : json.items()) {
    dict.set(text_from_json(key, marks), value_from_json(value, marks, depth + 1));
  }
  return make_dict(std::move(dict));
}

}  // namespace

Value from_json(const Json& json, uint8_t marks) {
  return value_from_json(json, marks, 0);
}

}  // namespace hone::text::jinja
