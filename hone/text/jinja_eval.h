#pragma once

#include "hone/text/jinja_ast.h"
#include "hone/text/tokenizer.h"

/// Running a template. Internal to hone/text.
namespace hone::text::jinja {

/// What a template writes, and the bytes written inside {% generation %}.
struct Output {
  Text text;
  std::vector<ByteSpan> generation;
};

/// Runs the template with `globals`; errors name the line. Limits: kMaxSteps expressions and
/// statements, kMaxOutputBytes of text, kMaxCallDepth nested macros.
inline constexpr int64_t kMaxSteps = 2'000'000;
inline constexpr size_t kMaxOutputBytes = size_t{1} << 28;
inline constexpr int kMaxCallDepth = 100;
Output run(const Block& block, const Named& globals);

/// Built-in filters, tests and methods; an unknown name is an input error.
struct CallArguments {
  List positional;
  Named named;

  size_t count() const { return positional.size() + named.size(); }
  /// The argument at `index` or of this name, or nullptr.
  const Value* find(size_t index, const std::string& name) const;
  Value get(size_t index, const std::string& name, Value otherwise) const;
};
Value apply_filter(const std::string& name, const Value& value, const CallArguments& arguments);
bool apply_test(const std::string& name, const Value& value, const CallArguments& arguments);
Value call_method(const Value& object, const std::string& name, const CallArguments& arguments);
bool has_method(const Value& object, const std::string& name);

/// value.name as Jinja looks it up: a member of a dict, an element of a namespace; undefined else.
Value attribute_of(const Value& value, const std::string& name);
Value item_of(const Value& value, const Value& index);

}  // namespace hone::text::jinja
