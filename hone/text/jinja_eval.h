#pragma once

#include <map>

#include "hone/text/jinja_ast.h"

/// Running a template. Internal to hone/text.
namespace hone::text::jinja {

/// Evaluations and statements within each other; more are an input error.
inline constexpr int kMaxRecursion = 1500;

/// Variables of a block; inner scopes see outer ones.
struct Scope {
  std::map<std::string, Value, std::less<>> variables;
  std::shared_ptr<Scope> outer;

  const Value* find(std::string_view name) const;
};
using ScopePtr = std::shared_ptr<Scope>;

/// One rendering of a template: walks its tree and collects what it writes.
class Interpreter {
 public:
  Interpreter(Context& context, ScopePtr globals)
      : context_(context), globals_(std::move(globals)) {}

  /// All that the template writes; text of {% generation %} is marked kAssistant.
  Text run(const Body& body);

 private:
  enum class Flow { normal, left_loop, next_round };

  Flow execute(const Body& body, const ScopePtr& scope);
  Flow execute(const DataNode& node, const ScopePtr& scope);
  Flow execute(const OutputNode& node, const ScopePtr& scope);
  Flow execute(const SetNode& node, const ScopePtr& scope);
  Flow execute(const SetBlockNode& node, const ScopePtr& scope);
  Flow execute(const IfNode& node, const ScopePtr& scope);
  Flow execute(const ForNode& node, const ScopePtr& scope);
  Flow execute(const MacroNode& node, const ScopePtr& scope);
  Flow execute(const CallBlockNode& node, const ScopePtr& scope);
  Flow execute(const FilterBlockNode& node, const ScopePtr& scope);
  Flow execute(const GenerationNode& node, const ScopePtr& scope);
  Flow execute(const WithNode& node, const ScopePtr& scope);
  Flow execute(const BreakNode& node, const ScopePtr& scope);
  Flow execute(const ContinueNode& node, const ScopePtr& scope);

  Value evaluate(const Expression& expression, const ScopePtr& scope);
  Value evaluate(const LiteralNode& node, const ScopePtr& scope);
  Value evaluate(const NameNode& node, const ScopePtr& scope);
  Value evaluate(const SequenceNode& node, const ScopePtr& scope);
  Value evaluate(const DictNode& node, const ScopePtr& scope);
  Value evaluate(const AttributeNode& node, const ScopePtr& scope);
  Value evaluate(const ItemNode& node, const ScopePtr& scope);
  Value evaluate(const SliceNode& node, const ScopePtr& scope);
  Value evaluate(const CallNode& node, const ScopePtr& scope);
  Value evaluate(const FilterNode& node, const ScopePtr& scope);
  Value evaluate(const TestNode& node, const ScopePtr& scope);
  Value evaluate(const UnaryNode& node, const ScopePtr& scope);
  Value evaluate(const BinaryNode& node, const ScopePtr& scope);
  Value evaluate(const LogicNode& node, const ScopePtr& scope);
  Value evaluate(const ConcatNode& node, const ScopePtr& scope);
  Value evaluate(const CompareNode& node, const ScopePtr& scope);
  Value evaluate(const ConditionalNode& node, const ScopePtr& scope);

  Value or_none(const ExpressionPtr& expression, const ScopePtr& scope);
  Arguments evaluate(const CallArguments& arguments, const ScopePtr& scope);
  /// Applies the innermost filter of a chain without a value to `value`, then the others.
  Value filter_onto(const Expression& filter, Value value, const ScopePtr& scope);
  void assign(const Target& target, const Value& value, const ScopePtr& scope);

  void write(const Text& text);
  /// What a body writes, in a scope of its own, and how it was left.
  std::pair<Text, Flow> capture(const Body& body, const ScopePtr& scope);
  Value make_macro(const Procedure& procedure, const ScopePtr& scope);
  Text call_macro(const Procedure& procedure, const ScopePtr& scope, Arguments arguments);
  void bind_parameters(const Procedure& procedure, Scope& inner, Arguments& arguments);
  Flow run_loop(const ForNode& node, const Value& iterable, const ScopePtr& scope, int depth);
  Value loop_items(const ForNode& node, const Value& iterable, const ScopePtr& scope);

  Context& context_;
  ScopePtr globals_;
  Text output_;
};

}  // namespace hone::text::jinja
