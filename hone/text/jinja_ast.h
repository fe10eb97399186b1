#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hone/text/jinja_object.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_value.h"

/// The syntax tree of a template. Internal to hone/text.
namespace hone::text::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
struct Statement;
using Body = std::vector<Statement>;

/// (a, b, c=d, *rest, **named); rest and named may be null.
struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr rest, rest_named;
};

/// Expressions, one struct for each form.
struct LiteralNode {
  Value value;
};
struct NameNode {
  std::string name;
};
struct SequenceNode {
  SequenceKind kind;
  std::vector<ExpressionPtr> items;
};
struct DictNode {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};
struct AttributeNode {
  ExpressionPtr object;
  std::string name;
};
struct ItemNode {
  ExpressionPtr object, key;
};
struct SliceNode {
  ExpressionPtr object, begin, end, step;  // all but object may be null
};
struct CallNode {
  ExpressionPtr function;
  CallArguments arguments;
};
/// `value` is null where the filter is put on a block; `function` where the name is unknown, which
/// is an error only if it is reached.
struct FilterNode {
  ExpressionPtr value;
  std::string name;
  const Function* function;
  CallArguments arguments;
};
struct TestNode {
  ExpressionPtr value;
  std::string name;
  const Function* function;
  CallArguments arguments;
};
enum class Unary { not_, minus, plus };
struct UnaryNode {
  Unary op;
  ExpressionPtr operand;
};
struct BinaryNode {
  Operator op;
  ExpressionPtr left, right;
};
struct LogicNode {
  bool is_and;
  ExpressionPtr left, right;
};
struct ConcatNode {
  std::vector<ExpressionPtr> items;
};
struct CompareNode {
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};
struct ConditionalNode {
  ExpressionPtr test, then, otherwise;  // otherwise may be null: undefined
};

/// An expression and the line where it stands.
struct Expression {
  std::variant<LiteralNode, NameNode, SequenceNode, DictNode, AttributeNode, ItemNode, SliceNode,
               CallNode, FilterNode, TestNode, UnaryNode, BinaryNode, LogicNode, ConcatNode,
               CompareNode, ConditionalNode>
      node;
  int line = 0;
};

/// A node as an expression on its own.
template <typename Node>
ExpressionPtr make_expression(int line, Node node) {
  return std::make_unique<Expression>(Expression{std::move(node), line});
}

/// What is assigned to: a name, name.attribute of a namespace, or a tuple of targets.
struct Target {
  std::string name, attribute;
  std::vector<Target> parts;
  bool is_tuple = false;
};

/// Parameters and body of a macro or call block, and which special names the body uses.
struct Procedure {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // default may be null
  Body body;
  bool uses_caller = false, uses_kwargs = false, uses_varargs = false;
};

/// Statements, one struct for each tag; data is the text outside of tags.
struct DataNode {
  Text text;
};
struct OutputNode {
  ExpressionPtr value;
};
struct SetNode {
  Target target;
  ExpressionPtr value;
};
struct SetBlockNode {
  Target target;
  ExpressionPtr filter;  // may be null
  Body body;
};
struct IfNode {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct ForNode {
  Target target;
  ExpressionPtr iterable, condition;  // condition may be null
  bool recursive = false;
  Body body, otherwise;
};
struct MacroNode {
  std::unique_ptr<Procedure> procedure;
};
struct CallBlockNode {
  std::unique_ptr<Procedure> procedure;
  ExpressionPtr call;
};
struct FilterBlockNode {
  ExpressionPtr filter;
  Body body;
};
struct GenerationNode {
  Body body;
};
struct WithNode {
  std::vector<std::pair<Target, ExpressionPtr>> variables;
  Body body;
};
struct BreakNode {};
struct ContinueNode {};

/// A statement and the line where it stands.
struct Statement {
  std::variant<DataNode, OutputNode, SetNode, SetBlockNode, IfNode, ForNode, MacroNode,
               CallBlockNode, FilterBlockNode, GenerationNode, WithNode, BreakNode, ContinueNode>
      node;
  int line = 0;
};

}  // namespace hone::text::jinja
