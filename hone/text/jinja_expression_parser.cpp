#include "hone/text/jinja_expression_parser.h"

#include <algorithm>

#include "hone/text/jinja_parser.h"

namespace hone::text::jinja {
namespace {

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
  return make_expression(line, SequenceNode{SequenceKind::tuple, std::move(items)});
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
    value = make_expression(
        line, ConditionalNode{std::move(test), std::move(value), std::move(otherwise)});
  }
  return value;
}

ExpressionPtr ExpressionParser::parse_or() {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = parse_and();
  while (skip_name("or")) {
    nesting.deeper();
    left = make_expression(line, LogicNode{false, std::move(left), parse_and()});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_and() {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr left = parse_not();
  while (skip_name("and")) {
    nesting.deeper();
    left = make_expression(line, LogicNode{true, std::move(left), parse_not()});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_not() {
  const int line = current().line;
  if (!skip_name("not")) return parse_compare();
  Nesting nesting(*this);
  return make_expression(line, UnaryNode{Unary::not_, parse_not()});
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
  return make_expression(line, CompareNode{std::move(first), std::move(rest)});
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
    left = make_expression(line, BinaryNode{found->second, std::move(left), (this->*operand)()});
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
  return make_expression(line, ConcatNode{std::move(items)});
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
    left = make_expression(line, BinaryNode{Operator::power, std::move(left), parse_unary(true)});
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filters) {
  const int line = current().line;
  Nesting nesting(*this);
  ExpressionPtr value;
  if (skip_symbol("-")) {
    value = make_expression(line, UnaryNode{Unary::minus, parse_unary(false)});
  } else if (skip_symbol("+")) {
    value = make_expression(line, UnaryNode{Unary::plus, parse_unary(false)});
  } else {
    value = parse_primary();
  }
  return parse_postfix(std::move(value), with_filters);
}

}  // namespace hone::text::jinja
