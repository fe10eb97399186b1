#include "hone/text/jinja_eval.h"

#include <cmath>

namespace hone::text::jinja {
namespace {

enum class Flow { normal, broke, continued };

/// Variables of a block; inner scopes see outer ones.
struct Scope {
  Named variables;
  const Scope* outer = nullptr;

  const Value* find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer) {
      const auto found = scope->variables.find(name);
      if (found != scope->variables.end()) return &found->second;
    }
    return nullptr;
  }
};

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

Value repeat(const Value& value, int64_t count) {
  count = std::max<int64_t>(count, 0);
  if (const auto* text = value.text()) {
    if (text->bytes.size() * static_cast<size_t>(count) > kMaxOutputBytes) {
      fail_template("a repeated string would have more than {} bytes", kMaxOutputBytes);
    }
    Text result;
    for (int64_t i = 0; i < count; ++i) result += *text;
    return result;
  }
  if (value.list()->size() * static_cast<size_t>(count) > 1'000'000) {
    fail_template("a repeated list would have more than 1,000,000 elements");
  }
  List result;
  for (int64_t i = 0; i < count; ++i) {
    result.insert(result.end(), value.list()->begin(), value.list()->end());
  }
  return result;
}

Value divide(const std::string& op, const Value& a, const Value& b) {
  if (as_double(b) == 0) fail_template("division by zero");
  if (op == "/") return as_double(a) / as_double(b);
  if (a.is_integer() && b.is_integer()) {
    const int64_t x = as_integer(a, ""), y = as_integer(b, "");
    if (y == -1) return op == "//" ? Value(-x) : Value(0);
    return op == "//" ? floor_divide(x, y) : x - floor_divide(x, y) * y;
  }
  const double quotient = std::floor(as_double(a) / as_double(b));
  return op == "//" ? quotient : as_double(a) - quotient * as_double(b);
}

Value add_numbers(const std::string& op, const Value& a, const Value& b) {
  if (a.is_integer() && b.is_integer() && op != "**") {
    const int64_t x = as_integer(a, ""), y = as_integer(b, "");
    int64_t result;
    const bool overflow = op == "+"   ? __builtin_add_overflow(x, y, &result)
                          : op == "-" ? __builtin_sub_overflow(x, y, &result)
                                      : __builtin_mul_overflow(x, y, &result);
    if (overflow) fail_template("{} {} {} overflows", x, op, y);
    return result;
  }
  const double x = as_double(a), y = as_double(b);
  if (op == "**") {
    const double power = std::pow(x, y);
    const bool integer = a.is_integer() && b.is_integer() && y >= 0 && std::abs(power) < 9e15;
    return integer ? Value(static_cast<int64_t>(power)) : Value(power);
  }
  return op == "+" ? x + y : op == "-" ? x - y : x * y;
}

Value arithmetic(const std::string& op, const Value& a, const Value& b) {
  if (op == "~") {
    Text text = print(a);
    return text += print(b);
  }
  if (op == "+" && a.text() && b.text()) {
    Text text = *a.text();
    return text += *b.text();
  }
  if (op == "+" && a.list() && b.list()) {
    List list = *a.list();
    list.insert(list.end(), b.list()->begin(), b.list()->end());
    return list;
  }
  if (op == "*" && (a.text() || a.list()) && b.is_integer()) return repeat(a, as_integer(b, ""));
  if (op == "*" && (b.text() || b.list()) && a.is_integer()) return repeat(b, as_integer(a, ""));
  if (op == "%" && a.text()) {
    return apply_filter("format", a, {b.list() ? *b.list() : List{b}, {}});
  }
  if (!a.is_number() || !b.is_number()) {
    fail_template("'{}' does not work on a {} and a {}", op, type_name(a), type_name(b));
  }
  if (op == "/" || op == "//" || op == "%") return divide(op, a, b);
  return add_numbers(op, a, b);
}

bool contains(const Value& container, const Value& item) {
  if (const auto* text = container.text()) {
    return text->bytes.find(as_text(item, "what is looked for in a string").bytes) !=
           std::string::npos;
  }
  if (const auto* dict = container.dict()) return item.text() && find(*dict, item.text()->bytes);
  for (const Value& element : iterate(container)) {
    if (equal(element, item)) return true;
  }
  return false;
}

bool compare(const std::string& op, const Value& a, const Value& b) {
  if (op == "==") return equal(a, b);
  if (op == "!=") return !equal(a, b);
  if (op == "<") return less(a, b);
  if (op == ">") return less(b, a);
  if (op == "<=") return !less(b, a);
  if (op == ">=") return !less(a, b);
  return contains(b, a) == (op == "in");
}

/// The indices of a Python slice of a sequence of `size` elements.
std::vector<int64_t> slice_indices(int64_t size, const Value& begin, const Value& end,
                                   const Value& step_value) {
  const auto absent = [](const Value& v) { return v.is_none() || v.is_undefined(); };
  const int64_t step = absent(step_value) ? 1 : as_integer(step_value, "a slice's step");
  if (step == 0) fail_template("a slice's step is 0");
  const auto place = [&](const Value& value, int64_t otherwise) {
    if (absent(value)) return otherwise;
    int64_t index = as_integer(value, "a slice's index");
    if (index < 0) index += size;
    return std::clamp<int64_t>(index, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
  };
  const int64_t first = place(begin, step > 0 ? 0 : size - 1),
                last = place(end, step > 0 ? size : -1);
  std::vector<int64_t> indices;
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step) indices.push_back(i);
  return indices;
}

Value slice(const Value& value, const Value& begin, const Value& end, const Value& step) {
  if (const auto* text = value.text()) {
    const auto offsets = character_offsets(text->bytes);
    Text result;
    for (int64_t i : slice_indices(static_cast<int64_t>(offsets.size()) - 1, begin, end, step)) {
      result += text->substr(offsets[i], offsets[i + 1] - offsets[i]);
    }
    return result;
  }
  const List* list = value.list();
  if (!list) fail_template("a {} cannot be sliced", type_name(value));
  List result;
  for (int64_t i : slice_indices(static_cast<int64_t>(list->size()), begin, end, step)) {
    result.push_back((*list)[i]);
  }
  return result;
}

class Runner {
 public:
  explicit Runner(const Named& globals) { globals_.variables = globals; }

  Output run(const Block& block) {
    Scope scope{{}, &globals_};
    run_block(block, scope);
    return std::move(output_);
  }

 private:
  void count_step(int line) {
    line_ = line;
    if (++steps_ > kMaxSteps) fail_template("line {}: more than {} steps", line, kMaxSteps);
  }

  void write(const Text& text) {
    if (output_.text.bytes.size() + text.bytes.size() > kMaxOutputBytes) {
      fail_template("line {}: more than {} bytes of output", line_, kMaxOutputBytes);
    }
    output_.text += text;
  }

  /// What `body` writes, taken out of the output.
  template <typename Body>
  Text capture(const Body& body) {
    Output outer = std::move(output_);
    output_ = {};
    body();
    Text text = std::move(output_.text);
    output_ = std::move(outer);
    return text;
  }

  Flow run_block(const Block& block, Scope& scope) {
    for (const auto& statement : block) {
      const Flow flow = run_statement(*statement, scope);
      if (flow != Flow::normal) return flow;
    }
    return Flow::normal;
  }

  Flow run_statement(const Statement& statement, Scope& scope) {
    count_step(statement.line);
    switch (statement.kind) {
      case StatementKind::data:
        write(Text(statement.text));
        break;
      case StatementKind::output:
        write(print(evaluate(*statement.expression, scope)));
        break;
      case StatementKind::set:
        assign(statement, evaluate(*statement.expression, scope), scope);
        break;
      case StatementKind::set_block: {
        Value value = capture([&] { run_inner(statement.body, scope); });
        if (statement.expression) value = filter_onto(*statement.expression, value, scope);
        assign(statement, value, scope);
        break;
      }
      case StatementKind::if_chain:
        return run_if(statement, scope);
      case StatementKind::for_loop:
        run_for(statement, scope);
        break;
      case StatementKind::macro:
        scope.variables[statement.text] = make_macro(statement, scope);
        break;
      case StatementKind::call_block:
        run_call(statement, scope);
        break;
      case StatementKind::filter_block: {
        const Value text = capture([&] { run_inner(statement.body, scope); });
        write(print(filter_onto(*statement.expression, text, scope)));
        break;
      }
      case StatementKind::generation: {
        const auto begin = static_cast<int64_t>(output_.text.bytes.size());
        const Flow flow = run_inner(statement.body, scope);
        output_.generation.push_back({begin, static_cast<int64_t>(output_.text.bytes.size())});
        return flow;
      }
      case StatementKind::break_loop:
        return Flow::broke;
      case StatementKind::continue_loop:
        return Flow::continued;
    }
    return Flow::normal;
  }

  Flow run_inner(const Block& block, const Scope& scope) {
    Scope inner{{}, &scope};
    return run_block(block, inner);
  }

  void assign(const Statement& statement, const Value& value, Scope& scope) {
    if (!statement.attribute.empty()) {
      const Value* target = scope.find(statement.names[0]);
      const auto* space = target ? target->get<std::shared_ptr<Namespace>>() : nullptr;
      if (!space) fail_template("'{}' is no namespace", statement.names[0]);
      (*space)->members[statement.attribute] = value;
      return;
    }
    bind(statement.names, value, scope);
  }

  static void bind(const std::vector<std::string>& names, const Value& value, Scope& scope) {
    if (names.size() == 1) {
      scope.variables[names[0]] = value;
      return;
    }
    const List items = iterate(value);
    if (items.size() != names.size()) {
      fail_template("{} values for {} names", items.size(), names.size());
    }
    for (size_t i = 0; i < names.size(); ++i) scope.variables[names[i]] = items[i];
  }

  Flow run_if(const Statement& statement, Scope& scope) {
    for (const auto& branch : statement.branches) {
      if (truthy(evaluate(*branch.condition, scope))) return run_block(branch.body, scope);
    }
    return run_block(statement.else_body, scope);
  }

  void run_for(const Statement& statement, Scope& scope) {
    const Value source = evaluate(*statement.expression, scope);
    List items = iterate(source);
    if (statement.condition) {
      List kept;
      for (const Value& item : items) {
        Scope inner{{}, &scope};
        bind(statement.names, item, inner);
        if (truthy(evaluate(*statement.condition, inner))) kept.push_back(item);
      }
      items = std::move(kept);
    }
    if (items.empty()) {
      run_inner(statement.else_body, scope);
      return;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      count_step(statement.line);
      Scope inner{{}, &scope};
      inner.variables["loop"] = loop_state(items, i);
      bind(statement.names, items[i], inner);
      if (run_block(statement.body, inner) == Flow::broke) break;
    }
  }

  static Value loop_state(const List& items, size_t i) {
    const auto index = static_cast<int64_t>(i), count = static_cast<int64_t>(items.size());
    auto state = std::make_shared<Namespace>();
    state->members = {{"index", index + 1},
                      {"index0", index},
                      {"revindex", count - index},
                      {"revindex0", count - index - 1},
                      {"first", index == 0},
                      {"last", index + 1 == count},
                      {"length", count},
                      {"depth", 1},
                      {"depth0", 0}};
    state->members["previtem"] = i > 0 ? items[i - 1] : Value(Undefined{"previtem"});
    state->members["nextitem"] = i + 1 < items.size() ? items[i + 1] : Value(Undefined{"nextitem"});
    state->members["cycle"] = std::make_shared<Callable>([i](const List& values, const Named&) {
      if (values.empty()) fail_template("loop.cycle needs values");
      return values[i % values.size()];
    });
    return state;
  }

  Value make_macro(const Statement& statement, Scope& scope) {
    // Macros see the scope they were defined in, which outlives them: templates have no closures
    // that leave their block.
    return std::make_shared<Callable>(
        [this, &statement, &scope](const List& arguments, const Named& named) -> Value {
          return call_macro(statement, scope, arguments, named);
        });
  }

  Value call_macro(const Statement& statement, const Scope& scope, const List& arguments,
                   const Named& named) {
    if (++call_depth_ > kMaxCallDepth) {
      fail_template("line {}: macros are nested deeper than {}", line_, kMaxCallDepth);
    }
    Scope inner{{}, &scope};
    if (arguments.size() > statement.parameters.size()) {
      fail_template("macro '{}' takes {} arguments, but got {}", statement.text,
                    statement.parameters.size(), arguments.size());
    }
    for (size_t i = 0; i < statement.parameters.size(); ++i) {
      const Parameter& parameter = statement.parameters[i];
      const auto found = named.find(parameter.name);
      Value value = Undefined{parameter.name};
      if (i < arguments.size()) {
        value = arguments[i];
      } else if (found != named.end()) {
        value = found->second;
      } else if (parameter.otherwise) {
        value = evaluate(*parameter.otherwise, inner);
      }
      inner.variables[parameter.name] = value;
    }
    const auto caller = named.find("caller");
    if (caller != named.end()) inner.variables["caller"] = caller->second;
    Text text = capture([&] { run_block(statement.body, inner); });
    --call_depth_;
    return text;
  }

  void run_call(const Statement& statement, Scope& scope) {
    const Expression& call = *statement.expression;
    if (call.kind != ExpressionKind::call) fail_template("line {}: 'call' needs a call", call.line);
    CallArguments arguments = evaluate_arguments(call.arguments, scope);
    arguments.named["caller"] = make_macro(statement, scope);
    write(print(call_value(evaluate(*call.items[0], scope), arguments)));
  }

  Value filter_onto(const Expression& filter, const Value& value, Scope& scope) {
    if (filter.kind == ExpressionKind::literal) return value;
    const Value inner = filter_onto(*filter.items[0], value, scope);
    return apply_filter(filter.text, inner, evaluate_arguments(filter.arguments, scope));
  }

  CallArguments evaluate_arguments(const std::vector<Argument>& arguments, Scope& scope) {
    CallArguments result;
    for (const auto& argument : arguments) {
      Value value = evaluate(*argument.value, scope);
      if (argument.name.empty()) {
        result.positional.push_back(std::move(value));
      } else {
        result.named[argument.name] = std::move(value);
      }
    }
    return result;
  }

  static Value call_value(const Value& function, const CallArguments& arguments) {
    const auto* callable = function.get<std::shared_ptr<Callable>>();
    if (!callable) {
      const auto* undefined = function.get<Undefined>();
      if (undefined) fail_template("'{}' is undefined", undefined->name);
      fail_template("a {} cannot be called", type_name(function));
    }
    return (**callable)(arguments.positional, arguments.named);
  }

  Value evaluate(const Expression& expression, Scope& scope) {
    count_step(expression.line);
    const auto item = [&](size_t i) { return evaluate(*expression.items[i], scope); };
    switch (expression.kind) {
      case ExpressionKind::literal:
        return expression.value;
      case ExpressionKind::name: {
        const Value* found = scope.find(expression.text);
        return found ? *found : Value(Undefined{expression.text});
      }
      case ExpressionKind::list:
      case ExpressionKind::tuple: {
        List list;
        for (size_t i = 0; i < expression.items.size(); ++i) list.push_back(item(i));
        return expression.kind == ExpressionKind::tuple ? Value(Tuple{list}) : Value(list);
      }
      case ExpressionKind::dict:
        return evaluate_dict(expression, scope);
      case ExpressionKind::attribute:
        return attribute_of(item(0), expression.text);
      case ExpressionKind::item:
        return item_of(item(0), item(1));
      case ExpressionKind::slice: {
        Value parts[3] = {None{}, None{}, None{}};
        for (int i = 0; i < 3; ++i) {
          if (expression.items[i + 1]) parts[i] = item(i + 1);
        }
        return slice(item(0), parts[0], parts[1], parts[2]);
      }
      case ExpressionKind::call:
        return evaluate_call(expression, scope);
      case ExpressionKind::filter:
        return apply_filter(expression.text, item(0),
                            evaluate_arguments(expression.arguments, scope));
      case ExpressionKind::test:
        return apply_test(expression.text, item(0),
                          evaluate_arguments(expression.arguments, scope)) != expression.negated;
      case ExpressionKind::unary:
        return evaluate_unary(expression, scope);
      case ExpressionKind::binary:
        return evaluate_binary(expression, scope);
      case ExpressionKind::comparison:
        return evaluate_comparison(expression, scope);
      case ExpressionKind::conditional:
        if (truthy(item(1))) return item(0);
        return expression.items[2] ? item(2) : Value(Undefined{});
    }
    return {};
  }

  Value evaluate_dict(const Expression& expression, Scope& scope) {
    Dict dict;
    for (size_t i = 0; i + 1 < expression.items.size(); i += 2) {
      const Text key = print(evaluate(*expression.items[i], scope));
      Value value = evaluate(*expression.items[i + 1], scope);
      const auto same = std::find_if(dict.begin(), dict.end(),
                                     [&](const auto& entry) { return entry.first == key; });
      if (same != dict.end()) {
        same->second = std::move(value);
      } else {
        dict.emplace_back(key, std::move(value));
      }
    }
    return dict;
  }

  Value evaluate_call(const Expression& expression, Scope& scope) {
    const Expression& target = *expression.items[0];
    if (target.kind == ExpressionKind::attribute) {
      const Value object = evaluate(*target.items[0], scope);
      if (has_method(object, target.text)) {
        return call_method(object, target.text, evaluate_arguments(expression.arguments, scope));
      }
      return call_value(attribute_of(object, target.text),
                        evaluate_arguments(expression.arguments, scope));
    }
    return call_value(evaluate(target, scope), evaluate_arguments(expression.arguments, scope));
  }

  Value evaluate_unary(const Expression& expression, Scope& scope) {
    const Value operand = evaluate(*expression.items[0], scope);
    if (expression.text == "not") return !truthy(operand);
    if (operand.is_integer()) {
      const int64_t integer = as_integer(operand, "");
      return expression.text == "-" ? -integer : integer;
    }
    return expression.text == "-" ? -as_double(operand) : as_double(operand);
  }

  Value evaluate_binary(const Expression& expression, Scope& scope) {
    Value left = evaluate(*expression.items[0], scope);
    if (expression.text == "and") {
      return truthy(left) ? evaluate(*expression.items[1], scope) : left;
    }
    if (expression.text == "or") {
      return truthy(left) ? left : evaluate(*expression.items[1], scope);
    }
    return arithmetic(expression.text, left, evaluate(*expression.items[1], scope));
  }

  Value evaluate_comparison(const Expression& expression, Scope& scope) {
    Value left = evaluate(*expression.items[0], scope);
    for (size_t i = 0; i < expression.operators.size(); ++i) {
      Value right = evaluate(*expression.items[i + 1], scope);
      if (!compare(expression.operators[i], left, right)) return false;
      left = std::move(right);
    }
    return true;
  }

  Scope globals_;
  Output output_;
  int64_t steps_ = 0;
  int line_ = 0, call_depth_ = 0;

 public:
  int line() const { return line_; }
};

}  // namespace

Output run(const Block& block, const Named& globals) {
  Runner runner(globals);
  try {
    return runner.run(block);
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("chat template, line {}: {}", runner.line(), error.what()));
  }
}

}  // namespace hone::text::jinja
