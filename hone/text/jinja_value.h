#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/check.h"
#include "hone/base/json.h"

/// The values of Jinja templates with the semantics of Python. Internal to hone/text.
namespace hone::text::jinja {

/// A string and, for each byte, whether it came from a message (1) or from the template (0).
struct Text {
  std::string bytes, marks;

  Text() = default;
  explicit Text(std::string text, char mark = 0)
      : bytes(std::move(text)), marks(bytes.size(), mark) {}
  Text substr(size_t begin, size_t count = std::string::npos) const;
  Text& operator+=(const Text& other);
  bool operator==(const Text& other) const { return bytes == other.bytes; }
};

class Value;
using List = std::vector<Value>;
/// A list that prints in parentheses.
struct Tuple;
/// Insertion-ordered, keys are strings.
using Dict = std::vector<std::pair<Text, Value>>;
using Named = std::map<std::string, Value>;

/// A macro, global or bound method.
using Callable = std::function<Value(const List& arguments, const Named& named)>;

/// What a missing name or member gives; it prints as nothing.
struct Undefined {
  std::string name;
};
/// Python's None.
struct None {};
/// namespace(): the only object that a template may change.
struct Namespace {
  Named members;
};

/// Any value of a template; lists and dicts are shared and never change.
class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, int64_t, double, Text, std::shared_ptr<List>,
                               std::shared_ptr<Dict>, std::shared_ptr<Namespace>,
                               std::shared_ptr<Callable>, std::shared_ptr<Tuple>>;

  Value() : variant_(Undefined{}) {}
  template <typename T>
  Value(T value) : variant_(std::move(value)) {}  // NOLINT: values convert freely
  Value(int value) : variant_(int64_t{value}) {}
  Value(const char* text) : variant_(Text(text)) {}
  Value(std::string text) : variant_(Text(std::move(text))) {}
  Value(List list) : variant_(std::make_shared<List>(std::move(list))) {}
  Value(Tuple tuple);
  Value(Dict dict) : variant_(std::make_shared<Dict>(std::move(dict))) {}

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&variant_);
  }
  /// The elements of a list or tuple, or nullptr.
  const List* list() const;
  bool is_tuple() const { return get<std::shared_ptr<Tuple>>(); }
  const Dict* dict() const { return pointee<Dict>(); }
  const Text* text() const { return get<Text>(); }
  bool is_undefined() const { return get<Undefined>(); }
  bool is_none() const { return get<None>(); }
  bool is_number() const { return get<bool>() || get<int64_t>() || get<double>(); }
  bool is_integer() const { return get<bool>() || get<int64_t>(); }
  const Variant& variant() const { return variant_; }

 private:
  template <typename T>
  const T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<T>>(&variant_);
    return pointer ? pointer->get() : nullptr;
  }
  Variant variant_;
};

/// See the declaration above.
struct Tuple {
  List items;
};

/// A message of the template's own: an input error with what went wrong.
template <typename... Args>
[[noreturn]] void fail_template(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorKind::input, fmt::format(format, std::forward<Args>(args)...));
}

/// Python's bool(value), and == on values.
bool truthy(const Value& value);
bool equal(const Value& a, const Value& b);
/// a < b for numbers, strings and lists; other pairs are an error.
bool less(const Value& a, const Value& b);
double as_double(const Value& value);
int64_t as_integer(const Value& value, const char* what);
const Text& as_text(const Value& value, const char* what);
/// The name of the type as Python prints it: "str", "dict", …
const char* type_name(const Value& value);

/// str(value) and repr(value) of Python; undefined prints as nothing.
Text print(const Value& value);
Text print_quoted(const Value& value);
/// json.dumps(value, ensure_ascii=False, indent=indent) of Python; indent < 0: on one line.
Text print_json(const Value& value, int indent, bool sort_keys, bool ensure_ascii);

/// The member of a dict, or nullptr.
const Value* find(const Dict& dict, const std::string& key);
/// JSON as a value; strings are marked as coming from a message if `mark` is 1.
Value from_json(const Json& json, char mark);

/// Elements of a list, characters of a string, keys of a dict; others are an error.
List iterate(const Value& value);
/// Byte offsets of the characters of a text and its end.
std::vector<size_t> character_offsets(const std::string& text);

}  // namespace hone::text::jinja
