#include "hone/text/jinja_parser.h"

#include <algorithm>

#include "hone/text/jinja_expression_parser.h"

namespace hone::text::jinja {
namespace {

/// The grammar of statements.
class Parser : ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Body run() {
    Body body = parse_body({});
    if (current().kind != TokenKind::end) fail_expected("the end of the template");
    return body;
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  // Statements up to a tag of `ends`, whose name is the current token then.
  Body parse_body(Names ends) {
    Nesting nesting(*this);
    Body body;
    while (current().kind != TokenKind::end) {
      const int line = current().line;
      if (current().kind == TokenKind::data) {
        body.push_back({DataNode{Text(take().text)}, line});
      } else if (current().kind == TokenKind::variable_begin) {
        take();
        body.push_back({OutputNode{parse_tuple()}, line});
        expect(TokenKind::variable_end, "'}}'");
      } else {
        take();
        if (std::any_of(ends.begin(), ends.end(), [&](auto name) { return is_name(name); })) {
          return body;
        }
        parse_statement(body, line);
        expect(TokenKind::block_end, "'%}'");
      }
    }
    if (ends.size() > 0) fail_expected(fmt::format("'{}'", fmt::join(ends, "' or '")));
    return body;
  }

  // The rest of a tag, statements, and the name of the tag that ends them.
  Body parse_block(Names ends) {
    skip_symbol(":");
    expect(TokenKind::block_end, "'%}'");
    return parse_body(ends);
  }
  Body parse_block_to(std::string_view end) {
    Body body = parse_block({end});
    take();
    return body;
  }

  void expect(TokenKind kind, std::string_view what) {
    if (current().kind != kind) fail_expected(what);
    take();
  }

  void parse_statement(Body& body, int line) {
    static constexpr std::pair<std::string_view, Statement (Parser::*)()> kTags[] = {
        {"for", &Parser::parse_for},
        {"if", &Parser::parse_if},
        {"set", &Parser::parse_set},
        {"macro", &Parser::parse_macro},
        {"call", &Parser::parse_call},
        {"filter", &Parser::parse_filter_block},
        {"generation", &Parser::parse_generation},
        {"with", &Parser::parse_with},
        {"break", &Parser::parse_break},
        {"continue", &Parser::parse_continue},
    };
    if (is_name("print")) return parse_print(body, line);
    const auto tag = std::find_if(std::begin(kTags), std::end(kTags),
                                  [&](const auto& entry) { return is_name(entry.first); });
    if (tag == std::end(kTags)) fail_expected("a known tag");
    Statement statement = (this->*tag->second)();
    statement.line = line;
    body.push_back(std::move(statement));
  }

  void parse_print(Body& body, int line) {
    take();
    while (current().kind != TokenKind::block_end) {
      body.push_back({OutputNode{parse_expression()}, line});
      if (!skip_symbol(",")) break;
    }
  }

  Statement parse_for() {
    take();
    ForNode node;
    ++for_depth_;
    node.target = parse_target("in", false);
    if (!skip_name("in")) fail_expected("'in'");
    --for_depth_;
    node.iterable = parse_tuple(false, "recursive");
    ++for_depth_;
    ++loop_depth_;
    if (skip_name("if")) node.condition = parse_expression();
    node.recursive = skip_name("recursive");
    node.body = parse_block({"endfor", "else"});
    --loop_depth_;
    if (take().text == "else") node.otherwise = parse_block_to("endfor");
    --for_depth_;
    return {std::move(node)};
  }

  Statement parse_if() {
    IfNode node;
    ++soft_depth_;
    do {
      take();
      ExpressionPtr test = parse_tuple(false);
      node.branches.emplace_back(std::move(test), parse_block({"elif", "else", "endif"}));
    } while (is_name("elif"));
    if (take().text == "else") node.otherwise = parse_block_to("endif");
    if (--soft_depth_ == 0) unknown_.reset();
    return {std::move(node)};
  }

  Statement parse_set() {
    take();
    Target target = parse_target({}, true);
    if (skip_symbol("=")) return {SetNode{std::move(target), parse_tuple()}};
    ExpressionPtr filter = is_symbol("|") ? parse_filters(nullptr) : nullptr;
    check_names();
    return {SetBlockNode{std::move(target), std::move(filter), parse_block_to("endset")}};
  }

  Statement parse_macro() {
    take();
    auto procedure = std::make_unique<Procedure>();
    procedure->name = expect_name();
    parse_parameters(*procedure);
    parse_procedure_body(*procedure, "endmacro");
    return {MacroNode{std::move(procedure)}};
  }

  Statement parse_call() {
    take();
    auto procedure = std::make_unique<Procedure>();
    if (is_symbol("(")) parse_parameters(*procedure);
    ExpressionPtr call = parse_expression();
    if (!std::holds_alternative<CallNode>(call->node)) fail("'call' needs the call of a macro");
    parse_procedure_body(*procedure, "endcall");
    return {CallBlockNode{std::move(procedure), std::move(call)}};
  }

  void parse_parameters(Procedure& procedure) {
    expect_symbol("(");
    bool defaults = false;
    while (!is_symbol(")")) {
      if (!procedure.parameters.empty()) expect_symbol(",");
      std::string name = expect_name();
      ExpressionPtr otherwise = skip_symbol("=") ? parse_expression() : nullptr;
      if (defaults && !otherwise) fail("a parameter without a default follows one with a default");
      defaults |= otherwise != nullptr;
      procedure.parameters.emplace_back(std::move(name), std::move(otherwise));
    }
    expect_symbol(")");
  }

  // break and continue do not reach out of a macro.
  void parse_procedure_body(Procedure& procedure, std::string_view end) {
    const int loops = std::exchange(loop_depth_, 0);
    procedures_.push_back(&procedure);
    procedure.body = parse_block_to(end);
    procedures_.pop_back();
    loop_depth_ = loops;
  }

  Statement parse_generation() {
    take();
    const int loops = std::exchange(loop_depth_, 0);
    GenerationNode node{parse_block_to("endgeneration")};
    loop_depth_ = loops;
    return {std::move(node)};
  }

  Statement parse_filter_block() {
    take();
    ExpressionPtr filter = parse_filters(nullptr, true);
    check_names();
    return {FilterBlockNode{std::move(filter), parse_block_to("endfilter")}};
  }

  Statement parse_with() {
    take();
    WithNode node;
    while (current().kind != TokenKind::block_end) {
      if (!node.variables.empty()) expect_symbol(",");
      Target target = parse_target({}, false);
      expect_symbol("=");
      node.variables.emplace_back(std::move(target), parse_expression());
    }
    node.body = parse_block_to("endwith");
    return {std::move(node)};
  }

  Statement parse_break() {
    if (loop_depth_ == 0) fail("'break' stands outside of a loop");
    take();
    return {BreakNode{}};
  }

  Statement parse_continue() {
    if (loop_depth_ == 0) fail("'continue' stands outside of a loop");
    take();
    return {ContinueNode{}};
  }

  // One target or, with commas, a tuple of them; `end` is the name that follows.
  Target parse_target(std::string_view end, bool with_namespace) {
    Nesting nesting(*this);
    Target tuple;
    tuple.is_tuple = true;
    while (!is_symbol("=") && !is_symbol(")") && (end.empty() || !is_name(end))) {
      tuple.parts.push_back(parse_single_target(with_namespace));
      if (!skip_symbol(",")) {
        if (tuple.parts.size() == 1) return std::move(tuple.parts[0]);
        break;
      }
    }
    if (tuple.parts.empty()) fail_expected("a name to assign to");
    return tuple;
  }

  Target parse_single_target(bool with_namespace) {
    if (is_symbol("(")) {
      take();
      Target inner = parse_target({}, with_namespace);
      expect_symbol(")");
      return inner;
    }
    static constexpr std::string_view kConstants[] = {"true",  "True", "false",
                                                      "False", "none", "None"};
    const Token token = current();
    Target target;
    target.name = expect_name();
    if (std::find(std::begin(kConstants), std::end(kConstants), target.name) !=
        std::end(kConstants)) {
      fail_at(token, fmt::format("'{}' cannot be assigned to", target.name));
    }
    if (with_namespace && skip_symbol(".")) target.attribute = expect_name();
    if (target.name == "loop" && target.attribute.empty() && for_depth_ > 0) {
      fail_at(token, "'loop' cannot be assigned to within a loop");
    }
    return target;
  }

  int loop_depth_ = 0;  // loops that break would leave
  int for_depth_ = 0;   // loops around
};

}  // namespace

Body parse_template(std::string_view source) {
  return Parser(tokenize(source)).run();
}

}  // namespace hone::text::jinja
