#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/text/jinja_value.h"

/// The syntax tree of a template. Internal to hone/text.
namespace hone::text::jinja {

struct Expression;
using ExpressionPointer = std::unique_ptr<Expression>;

/// An argument of a call, filter or test.
struct Argument {
  std::string name;  // empty: positional
  ExpressionPointer value;
};

/// What an expression is and which of its members it uses.
enum class ExpressionKind {
  literal,     // value
  name,        // text
  list,        // items
  tuple,       // items
  dict,        // items: key, value, key, value …
  attribute,   // items[0].text
  item,        // items[0][items[1]]
  slice,       // items[0][items[1]:items[2]:items[3]], missing ones null
  call,        // items[0](arguments)
  filter,      // items[0]|text(arguments)
  test,        // items[0] is text(arguments); negated
  unary,       // text items[0]: not, -, +
  binary,      // items[0] text items[1]; and, or too
  comparison,  // items[0] ops[0] items[1] ops[1] items[2] …
  conditional  // items[0] if items[1] else items[2] (or null)
};

/// One expression with the line it stands on.
struct Expression {
  ExpressionKind kind = ExpressionKind::literal;
  int line = 0;
  Value value;
  std::string text;
  std::vector<std::string> operators;
  std::vector<ExpressionPointer> items;
  std::vector<Argument> arguments;
  bool negated = false;
};

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

/// What a statement is and which of its members it uses.
enum class StatementKind {
  data,        // text
  output,      // expression
  set,         // names (or namespace.attribute) = expression
  set_block,   // names[0] = body, filtered
  if_chain,    // branches, else_body
  for_loop,    // for names in expression if condition: body else else_body
  macro,       // text(parameters): body
  call_block,  // call(parameters) expression: body
  filter_block,
  generation,  // body
  break_loop,
  continue_loop
};

/// A parameter of a macro and its default, or null.
struct Parameter {
  std::string name;
  ExpressionPointer otherwise;
};

/// One condition of an if and what it guards.
struct Branch {
  ExpressionPointer condition;
  Block body;
};

/// One statement with the line it stands on.
struct Statement {
  StatementKind kind = StatementKind::data;
  int line = 0;
  std::string text, attribute;
  std::vector<std::string> names;
  ExpressionPointer expression, condition;
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  Block body, else_body;
};

/// Parses a template; an input error names line and cause.
Block parse_template(std::string_view source);

}  // namespace hone::text::jinja
