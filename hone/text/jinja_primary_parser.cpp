#include "hone/text/jinja_expression_parser.h"
#include "hone/text/jinja_filters.h"
#include "hone/text/jinja_tests.h"

namespace hone::text::jinja {

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
  if (token.text == "true" || token.text == "True")
    return make_expression(token.line, LiteralNode{true});
  if (token.text == "false" || token.text == "False")
    return make_expression(token.line, LiteralNode{false});
  if (token.text == "none" || token.text == "None")
    return make_expression(token.line, LiteralNode{None{}});
  for (Procedure* procedure : procedures_) {
    procedure->uses_caller |= token.text == "caller";
    procedure->uses_kwargs |= token.text == "kwargs";
    procedure->uses_varargs |= token.text == "varargs";
  }
  return make_expression(token.line, NameNode{token.text});
}

ExpressionPtr ExpressionParser::parse_string() {
  const Token token = take();
  const Text* text = token.value.text();
  if (!text) return make_expression(token.line, LiteralNode{token.value});
  Text joined = *text;
  while (current().kind == TokenKind::literal && current().value.text()) {
    joined.append(*take().value.text());
  }
  return make_expression(token.line, LiteralNode{std::move(joined)});
}

ExpressionPtr ExpressionParser::parse_parenthesis() {
  const int line = take().line;
  if (skip_symbol(")")) return make_expression(line, SequenceNode{SequenceKind::tuple, {}});
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
  return make_expression(line, SequenceNode{SequenceKind::list, std::move(items)});
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
  return make_expression(line, std::move(dict));
}

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr value, bool filters) {
  Nesting nesting(*this);
  bool filtered = false;
  for (;; nesting.deeper()) {
    const int line = current().line;
    if (is_symbol("(")) {
      value = make_expression(line, CallNode{std::move(value), parse_arguments()});
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
    return make_expression(
        line, ItemNode{std::move(value), make_expression(line, LiteralNode{take().value})});
  }
  return make_expression(line, AttributeNode{std::move(value), expect_name()});
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
      parts[0] = make_expression(line, SequenceNode{SequenceKind::tuple, std::move(keys)});
    }
    expect_symbol("]");
    return make_expression(line, ItemNode{std::move(value), std::move(parts[0])});
  }
  expect_symbol("]");
  return make_expression(line, SliceNode{std::move(value), std::move(parts[0]), std::move(parts[1]),
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
    value = make_expression(
        token.line, FilterNode{std::move(value), std::move(name), function, std::move(arguments)});
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
  ExpressionPtr test = make_expression(
      line, TestNode{std::move(value), std::move(name), function, std::move(arguments)});
  return negated ? make_expression(line, UnaryNode{Unary::not_, std::move(test)}) : std::move(test);
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
