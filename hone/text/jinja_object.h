#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/text/jinja_value.h"

/// Values with behaviour: functions, methods, macros, namespaces, loops. Internal to hone/text.
namespace hone::text::jinja {

/// Work that a rendering may do, in evaluated expressions, statements and elements made.
inline constexpr int64_t kMaxSteps = 5'000'000;
/// State of one rendering that functions need.
struct Context {
  int64_t now_seconds = 0;
  int line = 1;  // of what runs now
  int64_t steps = 0;
  int depth = 0;                              // evaluations and statements within each other
  std::vector<std::function<void()>> at_end;  // break cycles of pointers

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
  /// Counts work; more than kMaxSteps is an input error.
  void spend(int64_t count);
};

/// Arguments of a call.
struct Arguments {
  Values positional;
  std::vector<std::pair<Text, Value>> named;
};

/// A value that is neither data nor text.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view type_name() const = 0;
  virtual Text print() const { return Text(fmt::format("<{}>", type_name())); }
  /// The attribute of that name, if there is one.
  virtual std::optional<Value> attribute(std::string_view) const { return std::nullopt; }
  virtual bool is_callable() const { return false; }
  virtual Value call(Context& context, Arguments arguments);
  /// Nesting of what it holds, as depth_of.
  virtual int depth() const { return 1; }
};

/// A function's arguments matched with its parameters.
class Bound {
 public:
  /// The argument of parameter `index` was given.
  bool has(size_t index) const { return given_[index].has_value(); }
  const Value& operator[](size_t index) const { return *given_[index]; }
  /// Of the given kind, or `otherwise` when not given or None; another kind is an input error.
  const Text& text(size_t index) const;
  int64_t integer(size_t index, int64_t otherwise) const;
  /// Python's truth of the argument, false when not given.
  bool flag(size_t index) const;
  /// The argument, or None.
  Value value_or_none(size_t index) const { return has(index) ? *given_[index] : Value(None{}); }

  Arguments rest;  // of "*" and "**"

 private:
  friend Bound bind(std::string_view name, std::string_view parameters, Arguments arguments);
  std::string function_;
  std::vector<std::optional<Value>> given_;
};

/// Matches arguments with `parameters`, names between spaces: "s" is required, "s?" optional, "_"
/// takes no keyword, "*" and "**" take what is left. Others are input errors naming `name`.
Bound bind(std::string_view name, std::string_view parameters, Arguments arguments);

/// A row of a table of filters, tests, methods or globals.
struct Function {
  std::string_view name, parameters;
  Value (*run)(Context& context, const Bound& arguments);
};
/// The row of that name or nullptr.
const Function* find_function(std::span<const Function> table, std::string_view name);
Value call_function(const Function& function, Context& context, Arguments arguments);

/// A value that runs `body`, printed as "<type name>".
Value make_callable(std::string type, std::string name, int depth,
                    std::function<Value(Context&, Arguments)> body);

/// function(arguments); what cannot be called is an input error.
Value call_value(const Value& function, Context& context, Arguments arguments);

}  // namespace hone::text::jinja
