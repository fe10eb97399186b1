#include "hone/text/jinja_eval.h"

#include <algorithm>

#include "hone/text/jinja_globals.h"
#include "hone/text/jinja_loop.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {

const Value* Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope; scope = scope->outer.get()) {
    const auto found = scope->variables.find(name);
    if (found != scope->variables.end()) return &found->second;
  }
  return nullptr;
}

namespace {

ScopePtr inside(const ScopePtr& outer) {
  return std::make_shared<Scope>(Scope{.variables = {}, .outer = outer});
}

}  // namespace

Text Interpreter::run(const Body& body) {
  execute(body, globals_);
  return std::move(output_);
}

Interpreter::Flow Interpreter::execute(const Body& body, const ScopePtr& scope) {
  HONE_CHECK(++context_.depth <= kMaxRecursion, "calls are nested deeper than {}", kMaxRecursion);
  Flow flow = Flow::normal;
  for (size_t i = 0; i < body.size() && flow == Flow::normal; ++i) {
    context_.line = body[i].line;
    context_.spend(1);
    flow = std::visit([&](const auto& node) { return execute(node, scope); }, body[i].node);
  }
  --context_.depth;
  return flow;
}

void Interpreter::write(const Text& text) {
  context_.spend(static_cast<int64_t>(text.size() / 64));
  output_.append(text);
}

Interpreter::Flow Interpreter::execute(const DataNode& node, const ScopePtr&) {
  write(node.text);
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const OutputNode& node, const ScopePtr& scope) {
  write(print(evaluate(*node.value, scope)));
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const SetNode& node, const ScopePtr& scope) {
  assign(node.target, evaluate(*node.value, scope), scope);
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const SetBlockNode& node, const ScopePtr& scope) {
  auto [text, flow] = capture(node.body, scope);
  if (flow != Flow::normal) return flow;
  Value value = std::move(text);
  if (node.filter) value = filter_onto(*node.filter, std::move(value), scope);
  assign(node.target, value, scope);
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const IfNode& node, const ScopePtr& scope) {
  for (const auto& [test, body] : node.branches) {
    if (truthy(evaluate(*test, scope))) return execute(body, scope);
  }
  return execute(node.otherwise, scope);
}

Interpreter::Flow Interpreter::execute(const ForNode& node, const ScopePtr& scope) {
  return run_loop(node, evaluate(*node.iterable, scope), scope, 1);
}

Value Interpreter::loop_items(const ForNode& node, const Value& iterable, const ScopePtr& scope) {
  Values items = iterate(iterable);
  if (!node.condition) return make_list(std::move(items));
  Values kept;
  for (const Value& item : items) {
    const ScopePtr inner = inside(scope);
    inner->variables.emplace("loop", Undefined{"'loop' is undefined in the condition of a loop"});
    assign(node.target, item, inner);
    if (truthy(evaluate(*node.condition, inner))) kept.push_back(item);
  }
  return make_list(std::move(kept));
}

Interpreter::Flow Interpreter::run_loop(const ForNode& node, const Value& iterable,
                                        const ScopePtr& scope, int depth) {
  const Value items = loop_items(node, iterable, scope);
  std::function<Value(Context&, Arguments)> recurse;
  if (node.recursive) {
    // The loop object may outlive the scope, which must not keep itself alive through it.
    recurse = [this, &node, weak = std::weak_ptr(scope), depth](Context&, Arguments arguments) {
      const ScopePtr scope = weak.lock();
      HONE_CHECK(scope && arguments.positional.size() == 1, "loop() takes one iterable");
      Text outer = std::exchange(output_, {});
      run_loop(node, arguments.positional[0], scope, depth + 1);
      return Value(std::exchange(output_, std::move(outer)));
    };
  }
  const auto loop = std::make_shared<LoopObject>(items, depth, std::move(recurse));
  bool completed = false;
  for (const Value& item : items.sequence()->items) {
    context_.spend(1);
    loop->advance();
    const ScopePtr inner = inside(scope);
    inner->variables.emplace("loop", std::shared_ptr<Object>(loop));
    assign(node.target, item, inner);
    const Flow flow = execute(node.body, inner);
    completed |= flow == Flow::normal;
    if (flow == Flow::left_loop) break;
  }
  // As in jinja2, rounds that break or continue cut short do not count.
  return completed ? Flow::normal : execute(node.otherwise, inside(scope));
}

Interpreter::Flow Interpreter::execute(const MacroNode& node, const ScopePtr& scope) {
  scope->variables.insert_or_assign(node.procedure->name, make_macro(*node.procedure, scope));
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const CallBlockNode& node, const ScopePtr& scope) {
  const auto& call = std::get<CallNode>(node.call->node);
  const Value function = evaluate(*call.function, scope);
  Arguments arguments = evaluate(call.arguments, scope);
  arguments.named.emplace_back(Text("caller"), make_macro(*node.procedure, scope));
  write(print(call_value(function, context_, std::move(arguments))));
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const FilterBlockNode& node, const ScopePtr& scope) {
  auto [text, flow] = capture(node.body, scope);
  if (flow == Flow::normal) write(print(filter_onto(*node.filter, std::move(text), scope)));
  return flow;
}

Interpreter::Flow Interpreter::execute(const GenerationNode& node, const ScopePtr& scope) {
  Text text = capture(node.body, scope).first;
  text.add_marks(kAssistant);
  write(text);
  return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const WithNode& node, const ScopePtr& scope) {
  const ScopePtr inner = inside(scope);
  for (const auto& [target, value] : node.variables) assign(target, evaluate(*value, scope), inner);
  return execute(node.body, inner);
}

Interpreter::Flow Interpreter::execute(const BreakNode&, const ScopePtr&) {
  return Flow::left_loop;
}

Interpreter::Flow Interpreter::execute(const ContinueNode&, const ScopePtr&) {
  return Flow::next_round;
}

void Interpreter::assign(const Target& target, const Value& value, const ScopePtr& scope) {
  if (target.is_tuple) {
    const Values items = iterate(value);
    HONE_CHECK(items.size() == target.parts.size(), "{} values cannot be assigned to {} names",
               items.size(), target.parts.size());
    for (size_t i = 0; i < items.size(); ++i) assign(target.parts[i], items[i], scope);
  } else if (target.attribute.empty()) {
    scope->variables.insert_or_assign(target.name, value);
  } else {
    const Value* found = scope->find(target.name);
    auto* space = found ? dynamic_cast<NamespaceObject*>(found->object()) : nullptr;
    HONE_CHECK(space, "cannot assign '{}' of '{}', which is no namespace", target.attribute,
               target.name);
    space->set(target.attribute, value);
  }
}

std::pair<Text, Interpreter::Flow> Interpreter::capture(const Body& body, const ScopePtr& scope) {
  Text outer = std::exchange(output_, {});
  const Flow flow = execute(body, inside(scope));
  return {std::exchange(output_, std::move(outer)), flow};
}

Value Interpreter::make_macro(const Procedure& procedure, const ScopePtr& scope) {
  // The scope holds the macro, which holds the scope.
  context_.at_end.push_back([scope] { scope->variables.clear(); });
  const auto body = [this, &procedure, scope](Context&, Arguments arguments) {
    return Value(call_macro(procedure, scope, std::move(arguments)));
  };
  return make_callable("Macro", procedure.name, 1, body);
}

Text Interpreter::call_macro(const Procedure& procedure, const ScopePtr& scope,
                             Arguments arguments) {
  const ScopePtr inner = inside(scope);
  bind_parameters(procedure, *inner, arguments);
  for (const auto& [name, otherwise] : procedure.parameters) {
    if (inner->variables.contains(name)) continue;
    Value value = Undefined{fmt::format("parameter '{}' was not provided", name)};
    if (otherwise) value = evaluate(*otherwise, inner);
    inner->variables.insert_or_assign(name, std::move(value));
  }
  Text outer = std::exchange(output_, {});
  execute(procedure.body, inner);
  return std::exchange(output_, std::move(outer));
}

void Interpreter::bind_parameters(const Procedure& procedure, Scope& inner, Arguments& arguments) {
  Values rest;
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i < procedure.parameters.size()) {
      inner.variables.emplace(procedure.parameters[i].first, std::move(arguments.positional[i]));
    } else {
      rest.push_back(std::move(arguments.positional[i]));
    }
  }
  HONE_CHECK(rest.empty() || procedure.uses_varargs, "macro '{}' takes at most {} arguments",
             procedure.name, procedure.parameters.size());
  Dict named;
  Value caller = Undefined{"no caller is defined"};
  for (auto& [name, value] : arguments.named) {
    const auto is_this = [&](const auto& parameter) { return parameter.first == name.bytes(); };
    const bool declared =
        std::any_of(procedure.parameters.begin(), procedure.parameters.end(), is_this);
    if (declared && inner.variables.emplace(name.bytes(), value).second) continue;
    if (name.bytes() == "caller" && procedure.uses_caller) {
      caller = value;
      continue;
    }
    HONE_CHECK(procedure.uses_kwargs, "macro '{}' takes no argument named '{}'", procedure.name,
               name.bytes());
    named.set(name, value);
  }
  if (procedure.uses_caller) inner.variables.emplace("caller", caller);
  if (procedure.uses_varargs) inner.variables.emplace("varargs", make_tuple(std::move(rest)));
  if (procedure.uses_kwargs) inner.variables.emplace("kwargs", make_dict(std::move(named)));
}

}  // namespace hone::text::jinja
