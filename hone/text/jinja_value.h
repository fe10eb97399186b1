#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/check.h"
#include "hone/base/json.h"
#include "hone/text/jinja_text.h"

/// The values of Jinja templates with the semantics of Python. Internal to hone/text.
namespace hone::text::jinja {

/// Limits that end a hostile template: elements made at once, nesting, and leaves of one value.
inline constexpr size_t kMaxItems = 1'000'000;
inline constexpr int kMaxDepth = 200;
inline constexpr uint32_t kMaxWeight = 8'000'000;

/// Python's None.
struct None {};

/// What a missing name gives: prints as nothing, is empty and false, most other uses are errors.
struct Undefined {
  std::string message;  // what such a use says
};

struct Sequence;
class Dict;
class Object;

/// Any value; strings, sequences and dicts are shared and never change.
class Value {
 public:
  using Data = std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const Text>,
                            std::shared_ptr<const Sequence>, std::shared_ptr<const Dict>,
                            std::shared_ptr<Object>>;

  Value() : data_(None{}) {}
  template <typename T>
  requires std::is_constructible_v<Data, T> Value(T value)
      : data_(std::move(value)) {}  // NOLINT: values convert freely
  Value(int value) : data_(int64_t{value}) {}
  Value(Text text) : data_(std::make_shared<const Text>(std::move(text))) {}
  Value(std::string_view bytes) : Value(Text(bytes)) {}
  Value(const char* bytes) : Value(Text(bytes)) {}

  const Data& data() const { return data_; }
  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_float() const { return std::holds_alternative<double>(data_); }
  /// Python's isinstance(value, int): bool counts.
  bool is_int() const { return is_bool() || std::holds_alternative<int64_t>(data_); }
  bool is_number() const { return is_int() || is_float(); }
  /// What the value holds if it is of that kind, or nullptr.
  const Undefined* undefined() const { return std::get_if<Undefined>(&data_); }
  const Text* text() const { return pointee<const Text>(); }
  const Sequence* sequence() const { return pointee<const Sequence>(); }
  const Dict* dict() const { return pointee<const Dict>(); }
  Object* object() const { return pointee<Object>(); }
  /// The number; the value must be one (is_int, is_number).
  int64_t as_int() const;
  double as_float() const;

 private:
  template <typename T>
  T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<T>>(&data_);
    return pointer ? pointer->get() : nullptr;
  }
  Data data_;
};

using Values = std::vector<Value>;

/// What Python calls the sequence; `iterator` gives its items once, `view` is dict.items() and so
/// on.
enum class SequenceKind { list, tuple, range, view, iterator };

/// An ordered collection. `label` is how a range, view or iterator starts when printed.
struct Sequence {
  SequenceKind kind = SequenceKind::list;
  Values items;
  std::string label;
  mutable size_t next = 0;  // iterator: items given out so far
  int depth = 1;
  uint32_t weight = 1;

  bool is_indexable() const { return kind <= SequenceKind::range; }
  bool has_length() const { return kind != SequenceKind::iterator; }
};

/// Too many items, or too deep a nesting, is an input error.
Value make_sequence(SequenceKind kind, Values items, std::string label = {});
inline Value make_list(Values items) {
  return make_sequence(SequenceKind::list, std::move(items));
}
inline Value make_tuple(Values items) {
  return make_sequence(SequenceKind::tuple, std::move(items));
}
inline Value make_iterator(Values items, std::string label = "generator") {
  return make_sequence(SequenceKind::iterator, std::move(items), std::move(label));
}
/// Adds an item; more than kMaxItems is an input error.
void push(Values& items, Value item);

/// Python's hash and ==, for keys; a list or dict as a key is an input error.
struct ValueHash {
  size_t operator()(const Value& value) const;
};
struct ValueEqual {
  bool operator()(const Value& a, const Value& b) const;
};

/// A mapping that keeps the order in which keys were first set.
class Dict {
 public:
  using Entry = std::pair<Value, Value>;
  void set(const Value& key, Value value);
  const Value* find(const Value& key) const;
  const std::vector<Entry>& entries() const { return entries_; }
  int depth() const { return depth_; }
  uint32_t weight() const { return weight_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<Value, size_t, ValueHash, ValueEqual> index_;
  int depth_ = 1;
  uint32_t weight_ = 1;
};
inline Value make_dict(Dict dict) {
  return std::make_shared<const Dict>(std::move(dict));
}

/// How deeply a value is nested, and how many leaves it has (64 bytes of a string are one).
int depth_of(const Value& value);
uint32_t weight_of(const Value& value);

/// Python's name of the type: "str", "dict", …
std::string type_name(const Value& value);

/// JSON as a value; its strings and keys get `marks`.
Value from_json(const Json& json, uint8_t marks);

}  // namespace hone::text::jinja
