#include "hone/text/jinja_eval.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

/// Elements or characters that a new value takes.
int64_t size_of(const Value& value) {
  if (const Text* text = value.text()) return static_cast<int64_t>(text->size() / 64);
  if (const Sequence* sequence = value.sequence()) return sequence->items.size();
  return value.dict() ? value.dict()->entries().size() : 0;
}

}  // namespace

Value Interpreter::evaluate(const Expression& expression, const ScopePtr& scope) {
  HONE_CHECK(++context_.depth <= kMaxRecursion, "calls are nested deeper than {}", kMaxRecursion);
  context_.line = expression.line;
  context_.spend(1);
  Value value =
      std::visit([&](const auto& node) { return evaluate(node, scope); }, expression.node);
  context_.line = expression.line;
  --context_.depth;
  return value;
}

Value Interpreter::evaluate(const LiteralNode& node, const ScopePtr&) {
  return node.value;
}

Value Interpreter::evaluate(const NameNode& node, const ScopePtr& scope) {
  const Value* found = scope->find(node.name);
  return found ? *found : Undefined{fmt::format("'{}' is undefined", node.name)};
}

Value Interpreter::evaluate(const SequenceNode& node, const ScopePtr& scope) {
  Values items;
  for (const auto& item : node.items) items.push_back(evaluate(*item, scope));
  return make_sequence(node.kind, std::move(items));
}

Value Interpreter::evaluate(const DictNode& node, const ScopePtr& scope) {
  Dict dict;
  for (const auto& [key, value] : node.entries) {
    const Value name = evaluate(*key, scope);
    dict.set(name, evaluate(*value, scope));
  }
  return make_dict(std::move(dict));
}

Value Interpreter::evaluate(const AttributeNode& node, const ScopePtr& scope) {
  return attribute(evaluate(*node.object, scope), node.name);
}

Value Interpreter::evaluate(const ItemNode& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  return item(object, evaluate(*node.key, scope));
}

Value Interpreter::or_none(const ExpressionPtr& expression, const ScopePtr& scope) {
  return expression ? evaluate(*expression, scope) : Value(None{});
}

Value Interpreter::evaluate(const SliceNode& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  const Value begin = or_none(node.begin, scope), end = or_none(node.end, scope);
  Value result = slice(object, begin, end, or_none(node.step, scope));
  context_.spend(weight_of(object) / 1024 + size_of(result));
  return result;
}

Arguments Interpreter::evaluate(const CallArguments& arguments, const ScopePtr& scope) {
  Arguments result;
  for (const auto& value : arguments.positional) {
    result.positional.push_back(evaluate(*value, scope));
  }
  for (const auto& [name, value] : arguments.named) {
    result.named.emplace_back(Text(name), evaluate(*value, scope));
  }
  if (arguments.rest) {
    for (Value& value : iterate(evaluate(*arguments.rest, scope))) {
      push(result.positional, std::move(value));
    }
  }
  if (!arguments.rest_named) return result;
  const Value named = evaluate(*arguments.rest_named, scope);
  HONE_CHECK(named.dict(), "'**' needs a dict, but got '{}'", type_name(named));
  for (const auto& [key, value] : named.dict()->entries()) {
    HONE_CHECK(key.text(), "names of arguments must be strings");
    result.named.emplace_back(*key.text(), value);
  }
  return result;
}

Value Interpreter::evaluate(const CallNode& node, const ScopePtr& scope) {
  const Value function = evaluate(*node.function, scope);
  Value result = call_value(function, context_, evaluate(node.arguments, scope));
  context_.spend(size_of(result));
  return result;
}

Value Interpreter::evaluate(const FilterNode& node, const ScopePtr& scope) {
  Value value = evaluate(*node.value, scope);
  HONE_CHECK(node.function, "no filter is named '{}'", node.name);
  Arguments arguments = evaluate(node.arguments, scope);
  arguments.positional.insert(arguments.positional.begin(), std::move(value));
  Value result = call_function(*node.function, context_, std::move(arguments));
  context_.spend(size_of(result));
  return result;
}

Value Interpreter::filter_onto(const Expression& filter, Value value, const ScopePtr& scope) {
  const auto& node = std::get<FilterNode>(filter.node);
  if (node.value) value = filter_onto(*node.value, std::move(value), scope);
  HONE_CHECK(node.function, "no filter is named '{}'", node.name);
  Arguments arguments = evaluate(node.arguments, scope);
  arguments.positional.insert(arguments.positional.begin(), std::move(value));
  return call_function(*node.function, context_, std::move(arguments));
}

Value Interpreter::evaluate(const TestNode& node, const ScopePtr& scope) {
  Value value = evaluate(*node.value, scope);
  HONE_CHECK(node.function, "no test is named '{}'", node.name);
  Arguments arguments = evaluate(node.arguments, scope);
  arguments.positional.insert(arguments.positional.begin(), std::move(value));
  return call_function(*node.function, context_, std::move(arguments));
}

Value Interpreter::evaluate(const UnaryNode& node, const ScopePtr& scope) {
  const Value operand = evaluate(*node.operand, scope);
  if (node.op == Unary::not_) return !truthy(operand);
  return negate(operand, node.op == Unary::minus);
}

Value Interpreter::evaluate(const BinaryNode& node, const ScopePtr& scope) {
  const Value left = evaluate(*node.left, scope);
  const Value right = evaluate(*node.right, scope);
  Value result = arithmetic(node.op, left, right);
  context_.spend(size_of(result));
  return result;
}

Value Interpreter::evaluate(const LogicNode& node, const ScopePtr& scope) {
  Value left = evaluate(*node.left, scope);
  return truthy(left) == node.is_and ? evaluate(*node.right, scope) : left;
}

Value Interpreter::evaluate(const ConcatNode& node, const ScopePtr& scope) {
  Text result;
  for (const auto& item : node.items) result.append(print(evaluate(*item, scope)));
  context_.spend(static_cast<int64_t>(result.size() / 64));
  return result;
}

Value Interpreter::evaluate(const CompareNode& node, const ScopePtr& scope) {
  Value left = evaluate(*node.first, scope);
  for (const auto& [comparison, operand] : node.rest) {
    Value right = evaluate(*operand, scope);
    context_.spend((weight_of(left) + weight_of(right)) / 1024);
    if (!compare(comparison, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Interpreter::evaluate(const ConditionalNode& node, const ScopePtr& scope) {
  if (truthy(evaluate(*node.test, scope))) return evaluate(*node.then, scope);
  if (node.otherwise) return evaluate(*node.otherwise, scope);
  return Undefined{"the conditional expression has no else"};
}

}  // namespace hone::text::jinja
