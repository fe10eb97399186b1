#include "hone/text/jinja_expression_parser.h"

#include <algorithm>

#include "hone/text/jinja_filters.h"
#include "hone/text/jinja_parser.h"
#include "hone/text/jinja_tests.h"

namespace hone::text::jinja {
namespace {

template <typename Node>
ExpressionPtr make(int line, Node node) {
  return std::make_unique<Expression>(Expression{std::move(node), line});
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the template";
  if (token.kind == TokenKind::data) return "text";
  return fmt::format("'{}'", token.text);
}

}  // namespace

void ExpressionParser::Nesting::deeper() {
  ++count_;
  if (++parser_.nesting_ > kMaxNesting) {
    parser_.fail(fmt::format("expressions or blocks are nested deeper than {}", kMaxNesting));
  }
}

bool ExpressionParser::is_symbol(std::string_view text) const {
  return current().kind == TokenKind::symbol && current().text == text;
}
bool ExpressionParser::is_name(std::string_view text) const {
  return current().kind == TokenKind::name && current().text == text;
}
bool ExpressionParser::skip_symbol(std::string_view text) {
  return is_symbol(text) && (++at_, true);
}
bool ExpressionParser::skip_name(std::string_view text) {
  return is_name(text) && (++at_, true);
}

void ExpressionParser::expect_symbol(std::string_view text) {
  if (!skip_symbol(text)) fail_expected(fmt::format("'{}'", text));
}

std::string ExpressionParser::expect_name() {
  if (current().kind != TokenKind::name) fail_expected("a name");
  return take().text;
}

void ExpressionParser::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {}, but got {}", what, describe(current())));
}

ExpressionPtr ExpressionParser::parse_expression(bool conditional) {
  Nesting nesting(*this);
  ExpressionPtr value = conditional ? parse_conditional() : parse_or();
  check_names();
  return value;
}

void ExpressionParser::check_names() const {
  if (unknown_ && soft_depth_ == 0) {
    fail_at(*unknown_, fmt::format("no filter or test is named '{}'", unknown_->text));
  }
}

ExpressionPtr ExpressionParser::parse_tuple(bool conditional, std::string_view end) {
  const int line = current().line;
  std::vector<ExpressionPtr> items;
  const auto at_end = [&] {
    return current().kind == TokenKind::variable_end || current().kind == TokenKind::block_end ||
           is_symbol(")") || (!end.empty() && is_name(end));
  };
  while (!at_end()) {
    items.push_back(parse_expression(conditional));
    if (!skip_symbol(",")) {
      if (items.size() == 1) return std::move(items[0]);
      break;
    }
  }
  if (items.empty()) fail_expected("an expression");
  return make(line, SequenceNode{SequenceKind::tuple, std::move(items)});
}

ExpressionPtr ExpressionParser::parse_conditional() {
  const int line = current().line;
  Nesting nesting(*this);
  // Only after `a` was read is it known whether it is the branch of an `if`.
  ++soft_depth_;
  ExpressionPtr value = parse_or();
  --soft_depth_;
  while (skip_name("if")) {
    nesting.deeper();
    ++soft_depth_;
    ExpressionPtr test = parse_or();
    ExpressionPtr otherwise = skip_name("else") ? parse_conditional() : nullptr;
    --soft_depth_;
    unknown_.reset();
    value = make(line, ConditionalNode{std::move(test), std::move(value), std::move(otherwise)});
  }
  return value;
}

ExpressionPtr ExpressionParser::parse_or() {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = parse_and();
  while (skip_name("or")) {
    nesting.deeper();
    left = make(line, LogicNode{false, std::move(left), parse_and()});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_and() {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = parse_not();
  while (skip_name("and")) {
    nesting.deeper();
    left = make(line, LogicNode{true, std::move(left), parse_not()});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_not() {
  const int line = current().line;
  if (!skip_name("not")) return parse_compare();
  Nesting nesting(*this);
  return make(line, UnaryNode{Unary::not_, parse_not()});
}

std::optional<Comparison> ExpressionParser::take_comparison() {
  constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
      {"==", Comparison::equal},      {"!=", Comparison::not_equal},
      {"<=", Comparison::less_equal}, {">=", Comparison::greater_equal},
      {"<", Comparison::less},        {">", Comparison::greater}};
  for (const auto& [symbol, comparison] : kComparisons) {
    if (skip_symbol(symbol)) return comparison;
  }
  if (skip_name("in")) return Comparison::in;
  if (!is_name("not") || peek().kind != TokenKind::name || peek().text != "in") return {};
  at_ += 2;
  return Comparison::not_in;
}

ExpressionPtr ExpressionParser::parse_compare() {
  const int line = current().line;
  ExpressionPtr first = parse_sum();
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
  while (const auto comparison = take_comparison()) rest.emplace_back(*comparison, parse_sum());
  if (rest.empty()) return first;
  return make(line, CompareNode{std::move(first), std::move(rest)});
}

ExpressionPtr ExpressionParser::parse_binary(
    ExpressionPtr (ExpressionParser::*operand)(),
    std::initializer_list<std::pair<std::string_view, Operator>> operators) {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = (this->*operand)();
  for (;;) {
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const auto& entry) { return skip_symbol(entry.first); });
    if (found == operators.end()) return left;
    nesting.deeper();
    left = make(line, BinaryNode{found->second, std::move(left), (this->*operand)()});
  }
}

ExpressionPtr ExpressionParser::parse_sum() {
  return parse_binary(&ExpressionParser::parse_concat,
                      {{"+", Operator::add}, {"-", Operator::subtract}});
}

ExpressionPtr ExpressionParser::parse_concat() {
  const int line = current().line;
  std::vector<ExpressionPtr> items;
  do {
    items.push_back(parse_product());
  } while (skip_symbol("~"));
  if (items.size() == 1) return std::move(items[0]);
  return make(line, ConcatNode{std::move(items)});
}

ExpressionPtr ExpressionParser::parse_product() {
  return parse_binary(&ExpressionParser::parse_power, {{"*", Operator::multiply},
                                                       {"/", Operator::divide},
                                                       {"//", Operator::floor_divide},
                                                       {"%", Operator::modulo}});
}

ExpressionPtr ExpressionParser::parse_power() {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = parse_unary(true);
  while (skip_symbol("**")) {
    nesting.deeper();
    left = make(line, BinaryNode{Operator::power, std::move(left), parse_unary(true)});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filters) {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr value;
  if (skip_symbol("-")) {
    value = make(line, UnaryNode{Unary::minus, parse_unary(false)});
  } else if (skip_symbol("+")) {
    value = make(line, UnaryNode{Unary::plus, parse_unary(false)});
  } else {
    value = parse_primary();
  }
  return parse_postfix(std::move(value), with_filters);
}

ExpressionPtr ExpressionParser::parse_primary() {
  const Token& token = current();
  if (token.kind == TokenKind::name) return parse_name();
  if (token.kind == TokenKind::literal) return parse_string();
  if (is_symbol("(")) return parse_parenthesis();
  if (is_symbol("[")) return parse_list();
  if (is_symbol("{")) return parse_dict();
  fail_expected("an expression");
}

ExpressionPtr ExpressionParser::parse_name() {
  const Token token = take();
  if (token.text == "true" || token.text == "True") return make(token.line, LiteralNode{true});
  if (token.text == "false" || token.text == "False") return make(token.line, LiteralNode{false});
  if (token.text == "none" || token.text == "None") return make(token.line, LiteralNode{None{}});
  for (Procedure* procedure : procedures_) {
    procedure->uses_caller |= token.text == "caller";
    procedure->uses_kwargs |= token.text == "kwargs";
    procedure->uses_varargs |= token.text == "varargs";
  }
  return make(token.line, NameNode{token.text});
}

ExpressionPtr ExpressionParser::parse_string() {
  const Token token = take();
  const Text* text = token.value.text();
  if (!text) return make(token.line, LiteralNode{token.value});
  Text joined = *text;
  while (current().kind == TokenKind::literal && current().value.text()) {
    joined.append(*take().value.text());
  }
  return make(token.line, LiteralNode{std::move(joined)});
}

ExpressionPtr ExpressionParser::parse_parenthesis() {
  const int line = take().line;
  if (skip_symbol(")")) return make(line, SequenceNode{SequenceKind::tuple, {}});
  ExpressionPtr value = parse_tuple();
  expect_symbol(")");
  return value;
}

ExpressionPtr ExpressionParser::parse_list() {
  const int line = take().line;
  std::vector<ExpressionPtr> items;
  while (!is_symbol("]")) {
    items.push_back(parse_expression());
    if (!skip_symbol(",")) break;
  }
  expect_symbol("]");
  return make(line, SequenceNode{SequenceKind::list, std::move(items)});
}

ExpressionPtr ExpressionParser::parse_dict() {
  const int line = take().line;
  DictNode dict;
  while (!is_symbol("}")) {
    ExpressionPtr key = parse_expression();
    expect_symbol(":");
    dict.entries.emplace_back(std::move(key), parse_expression());
    if (!skip_symbol(",")) break;
  }
  expect_symbol("}");
  return make(line, std::move(dict));
}

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr value, bool filters) {
  Nesting nesting(*this);
  bool filtered = false;
  for (;; nesting.deeper()) {
    const int line = current().line;
    if (is_symbol("(")) {
      value = make(line, CallNode{std::move(value), parse_arguments()});
    } else if (!filtered && is_symbol(".")) {
      value = parse_dot(std::move(value));
    } else if (!filtered && is_symbol("[")) {
      value = parse_subscript(std::move(value));
    } else if (filters && is_symbol("|")) {
      filtered = true;
      value = parse_filters(std::move(value));
    } else if (filters && is_name("is")) {
      filtered = true;
      value = parse_test(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::parse_dot(ExpressionPtr value) {
  const int line = take().line;
  if (current().kind == TokenKind::literal && current().value.is_int()) {
    return make(line, ItemNode{std::move(value), make(line, LiteralNode{take().value})});
  }
  return make(line, AttributeNode{std::move(value), expect_name()});
}

ExpressionPtr ExpressionParser::parse_subscript(ExpressionPtr value) {
  const int line = take().line;
  ExpressionPtr parts[3];
  size_t count = 0;
  const auto part = [&] {
    if (!is_symbol(":") && !is_symbol("]") && !is_symbol(",")) parts[count] = parse_expression();
    ++count;
  };
  part();
  while (count < 3 && skip_symbol(":")) part();
  if (count == 1) {
    if (!parts[0]) fail_expected("an index");
    if (is_symbol(",")) {
      std::vector<ExpressionPtr> keys;
      keys.push_back(std::move(parts[0]));
      while (skip_symbol(",")) keys.push_back(parse_expression());
      parts[0] = make(line, SequenceNode{SequenceKind::tuple, std::move(keys)});
    }
    expect_symbol("]");
    return make(line, ItemNode{std::move(value), std::move(parts[0])});
  }
  expect_symbol("]");
  return make(line, SliceNode{std::move(value), std::move(parts[0]), std::move(parts[1]),
                              std::move(parts[2])});
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = expect_name();
  while (skip_symbol(".")) name += "." + expect_name();
  return name;
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr value, bool first) {
  Nesting nesting(*this);
  while (first || skip_symbol("|")) {
    first = false;
    nesting.deeper();
    const Token token = current();
    std::string name = parse_dotted_name();
    const Function* function = find_filter(name);
    if (!function) unknown_ = token;
    CallArguments arguments = is_symbol("(") ? parse_arguments() : CallArguments{};
    value = make(token.line,
                 FilterNode{std::move(value), std::move(name), function, std::move(arguments)});
  }
  return value;
}

ExpressionPtr ExpressionParser::parse_test(ExpressionPtr value) {
  const int line = take().line;
  const bool negated = skip_name("not");
  const Token token = current();
  std::string name = parse_dotted_name();
  const Function* function = find_test(name);
  if (!function) unknown_ = token;
  CallArguments arguments = parse_test_arguments();
  ExpressionPtr test =
      make(line, TestNode{std::move(value), std::move(name), function, std::move(arguments)});
  return negated ? make(line, UnaryNode{Unary::not_, std::move(test)}) : std::move(test);
}

/// Tests take their arguments in brackets, or one argument without them.
CallArguments ExpressionParser::parse_test_arguments() {
  CallArguments arguments;
  if (is_symbol("(")) return parse_arguments();
  const TokenKind kind = current().kind;
  const bool starts =
      kind == TokenKind::name || kind == TokenKind::literal || is_symbol("[") || is_symbol("{");
  if (!starts || is_name("else") || is_name("or") || is_name("and")) return arguments;
  if (is_name("is")) fail("tests cannot be chained with 'is'");
  arguments.positional.push_back(parse_postfix(parse_primary(), false));
  return arguments;
}

CallArguments ExpressionParser::parse_arguments() {
  CallArguments arguments;
  expect_symbol("(");
  while (!is_symbol(")")) {
    parse_argument(arguments);
    if (!skip_symbol(",")) break;
  }
  expect_symbol(")");
  return arguments;
}

void ExpressionParser::parse_argument(CallArguments& arguments) {
  const bool starred = arguments.rest || arguments.rest_named;
  if (is_symbol("*")) {
    if (starred) fail("'*' may come once and before '**'");
    take();
    arguments.rest = parse_expression();
  } else if (is_symbol("**")) {
    if (arguments.rest_named) fail("'**' may come once");
    take();
    arguments.rest_named = parse_expression();
  } else if (current().kind == TokenKind::name && peek().kind == TokenKind::symbol &&
             peek().text == "=") {
    if (arguments.rest_named) fail("arguments must come before '**'");
    std::string name = take().text;
    take();
    arguments.named.emplace_back(std::move(name), parse_expression());
  } else {
    if (starred || !arguments.named.empty()) fail("positional arguments must come first");
    arguments.positional.push_back(parse_expression());
  }
}

}  // namespace hone::text::jinja
