#include <algorithm>

#include "hone/text/jinja_ast.h"
#include "hone/text/jinja_lexer.h"

namespace hone::text::jinja {
namespace {

constexpr int kMaxDepth = 200;

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokenize(source)) {}

  Block parse() {
    Block block = parse_block({});
    expect_end();
    return block;
  }

 private:
  using Pointer = ExpressionPointer;

  const Token& current() const { return tokens_[position_]; }
  bool is_symbol(std::string_view text) const {
    return current().kind == TokenKind::symbol && current().text == text;
  }
  bool is_name(std::string_view text) const {
    return current().kind == TokenKind::name && current().text == text;
  }
  bool take_symbol(std::string_view text) {
    if (!is_symbol(text)) return false;
    ++position_;
    return true;
  }
  bool take_name(std::string_view text) {
    if (!is_name(text)) return false;
    ++position_;
    return true;
  }
  [[noreturn]] void fail_here(const std::string& wanted) const {
    const std::string found =
        current().kind == TokenKind::end ? "the end" : "'" + current().text + "'";
    fail_template("line {}: {} is needed, but there is {}", current().line, wanted, found);
  }
  void expect_symbol(std::string_view text) {
    if (!take_symbol(text)) fail_here("'" + std::string(text) + "'");
  }
  std::string expect_name() {
    if (current().kind != TokenKind::name) fail_here("a name");
    return tokens_[position_++].text;
  }
  void expect(TokenKind kind, const char* wanted) {
    if (current().kind != kind) fail_here(wanted);
    ++position_;
  }
  void expect_end() {
    if (current().kind != TokenKind::end) fail_here("the end");
  }

  /// Guards recursion.
  struct Deeper {
    explicit Deeper(Parser& parser) : parser(parser) {
      if (++parser.depth_ > kMaxDepth) {
        fail_template("line {}: nested deeper than {}", parser.current().line, kMaxDepth);
      }
    }
    ~Deeper() { --parser.depth_; }
    Parser& parser;
  };

  Pointer make(ExpressionKind kind) const {
    auto expression = std::make_unique<Expression>();
    expression->kind = kind;
    expression->line = current().line;
    return expression;
  }

  // Statements ------------------------------------------------------------------------------

  /// Statements up to a block whose name is in `ends`, which is left at its name.
  Block parse_block(const std::vector<std::string_view>& ends) {
    const Deeper deeper(*this);
    Block block;
    while (current().kind != TokenKind::end) {
      if (current().kind == TokenKind::data) {
        block.push_back(make_statement(StatementKind::data));
        block.back()->text = tokens_[position_++].text;
      } else if (current().kind == TokenKind::output_begin) {
        ++position_;
        block.push_back(make_statement(StatementKind::output));
        block.back()->expression = parse_tuple();
        expect(TokenKind::output_end, "'}}'");
      } else {
        ++position_;
        const bool ends_here = std::any_of(ends.begin(), ends.end(),
                                           [&](std::string_view end) { return is_name(end); });
        if (ends_here) return block;
        block.push_back(parse_statement());
      }
    }
    if (!ends.empty()) fail_here("'{% " + std::string(ends.back()) + " %}'");
    return block;
  }

  std::unique_ptr<Statement> make_statement(StatementKind kind) const {
    auto statement = std::make_unique<Statement>();
    statement->kind = kind;
    statement->line = current().line;
    return statement;
  }

  void end_block() { expect(TokenKind::block_end, "'%}'"); }

  /// A body and its end tag.
  Block parse_body(std::string_view end) {
    end_block();
    Block body = parse_block({end});
    ++position_;
    return body;
  }

  std::unique_ptr<Statement> parse_statement() {
    const std::string name = expect_name();
    std::unique_ptr<Statement> statement;
    if (name == "if") {
      statement = parse_if();
    } else if (name == "for") {
      statement = parse_for();
    } else if (name == "set") {
      statement = parse_set();
    } else if (name == "macro") {
      statement = make_statement(StatementKind::macro);
      statement->text = expect_name();
      statement->parameters = parse_parameters();
      statement->body = parse_body("endmacro");
    } else if (name == "call") {
      statement = make_statement(StatementKind::call_block);
      if (is_symbol("(")) statement->parameters = parse_parameters();
      statement->expression = parse_expression();
      statement->body = parse_body("endcall");
    } else if (name == "filter") {
      statement = make_statement(StatementKind::filter_block);
      statement->expression = parse_filters(make(ExpressionKind::literal), true);
      statement->body = parse_body("endfilter");
    } else if (name == "generation") {
      statement = make_statement(StatementKind::generation);
      statement->body = parse_body("endgeneration");
    } else if (name == "break" || name == "continue") {
      statement = make_statement(name == "break" ? StatementKind::break_loop
                                                 : StatementKind::continue_loop);
    } else {
      --position_;
      fail_here("a statement (if, for, set, macro, call, filter, generation, break, continue)");
    }
    end_block();
    return statement;
  }

  std::unique_ptr<Statement> parse_if() {
    auto statement = make_statement(StatementKind::if_chain);
    while (true) {
      Branch branch;
      branch.condition = parse_tuple();
      end_block();
      branch.body = parse_block({"elif", "else", "endif"});
      statement->branches.push_back(std::move(branch));
      const std::string end = expect_name();
      if (end == "elif") continue;
      if (end == "else") {
        statement->else_body = parse_body("endif");
      }
      return statement;
    }
  }

  std::unique_ptr<Statement> parse_for() {
    auto statement = make_statement(StatementKind::for_loop);
    const bool parenthesis = take_symbol("(");
    do {
      statement->names.push_back(expect_name());
    } while (take_symbol(","));
    if (parenthesis) expect_symbol(")");
    if (!take_name("in")) fail_here("'in'");
    statement->expression = parse_tuple(false);
    if (take_name("if")) statement->condition = parse_expression();
    take_name("recursive");
    end_block();
    statement->body = parse_block({"else", "endfor"});
    if (expect_name() == "else") statement->else_body = parse_body("endfor");
    return statement;
  }

  std::unique_ptr<Statement> parse_set() {
    auto statement = make_statement(StatementKind::set);
    statement->names.push_back(expect_name());
    if (take_symbol(".")) {
      statement->attribute = expect_name();
    } else {
      while (take_symbol(",")) statement->names.push_back(expect_name());
    }
    if (take_symbol("=")) {
      statement->expression = parse_tuple();
      return statement;
    }
    statement->kind = StatementKind::set_block;
    if (is_symbol("|")) statement->expression = parse_filters(make(ExpressionKind::literal), false);
    statement->body = parse_body("endset");
    return statement;
  }

  std::vector<Parameter> parse_parameters() {
    std::vector<Parameter> parameters;
    expect_symbol("(");
    while (!take_symbol(")")) {
      if (!parameters.empty()) expect_symbol(",");
      if (take_symbol(")")) break;
      Parameter parameter{expect_name(), nullptr};
      if (take_symbol("=")) parameter.otherwise = parse_expression();
      parameters.push_back(std::move(parameter));
    }
    return parameters;
  }

  // Expressions, from the loosest binding to the tightest -----------------------------------

  /// An expression, or several with commas as a list.
  Pointer parse_tuple(bool with_condition = true) {
    const auto element = [&] { return with_condition ? parse_expression() : parse_or(); };
    Pointer first = element();
    if (!is_symbol(",")) return first;
    Pointer tuple = make(ExpressionKind::tuple);
    tuple->items.push_back(std::move(first));
    while (take_symbol(",")) {
      const TokenKind kind = current().kind;
      if (kind == TokenKind::block_end || kind == TokenKind::output_end || is_symbol(")")) break;
      tuple->items.push_back(element());
    }
    return tuple;
  }

  Pointer parse_expression() {
    const Deeper deeper(*this);
    Pointer value = parse_or();
    while (take_name("if")) {
      Pointer conditional = make(ExpressionKind::conditional);
      conditional->items.push_back(std::move(value));
      conditional->items.push_back(parse_or());
      conditional->items.push_back(take_name("else") ? parse_expression() : nullptr);
      value = std::move(conditional);
    }
    return value;
  }

  Pointer binary(std::string text, Pointer left, Pointer right) const {
    Pointer expression = make(ExpressionKind::binary);
    expression->text = std::move(text);
    expression->items.push_back(std::move(left));
    expression->items.push_back(std::move(right));
    return expression;
  }

  Pointer unary(std::string text, Pointer operand) const {
    Pointer expression = make(ExpressionKind::unary);
    expression->text = std::move(text);
    expression->items.push_back(std::move(operand));
    return expression;
  }

  Pointer parse_or() {
    Pointer left = parse_and();
    while (take_name("or")) left = binary("or", std::move(left), parse_and());
    return left;
  }

  Pointer parse_and() {
    Pointer left = parse_not();
    while (take_name("and")) left = binary("and", std::move(left), parse_not());
    return left;
  }

  Pointer parse_not() {
    const Deeper deeper(*this);
    if (take_name("not")) return unary("not", parse_not());
    return parse_comparison();
  }

  /// The comparison operator here, taken; empty if there is none.
  std::string take_comparison() {
    for (const char* symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (take_symbol(symbol)) return symbol;
    }
    if (take_name("in")) return "in";
    const bool not_in = is_name("not") && tokens_[position_ + 1].kind == TokenKind::name &&
                        tokens_[position_ + 1].text == "in";
    if (!not_in) return "";
    position_ += 2;
    return "not in";
  }

  Pointer parse_comparison() {
    Pointer left = parse_sum();
    std::string op = take_comparison();
    if (op.empty()) return left;
    Pointer comparison = make(ExpressionKind::comparison);
    comparison->items.push_back(std::move(left));
    for (; !op.empty(); op = take_comparison()) {
      comparison->operators.push_back(op);
      comparison->items.push_back(parse_sum());
    }
    return comparison;
  }

  template <typename Next>
  Pointer parse_left(std::initializer_list<const char*> symbols, const Next& next) {
    Pointer left = next();
    for (bool again = true; again;) {
      again = false;
      for (const char* symbol : symbols) {
        if (!take_symbol(symbol)) continue;
        left = binary(symbol, std::move(left), next());
        again = true;
        break;
      }
    }
    return left;
  }

  Pointer parse_sum() {
    return parse_left({"+", "-"}, [&] { return parse_concatenation(); });
  }

  Pointer parse_concatenation() {
    return parse_left({"~"}, [&] { return parse_product(); });
  }

  Pointer parse_product() {
    return parse_left({"*", "//", "/", "%"}, [&] { return parse_unary(true); });
  }

  Pointer parse_unary(bool with_filter) {
    const Deeper deeper(*this);
    Pointer value;
    if (is_symbol("-") || is_symbol("+")) {
      const std::string sign = tokens_[position_++].text;
      value = unary(sign, parse_unary(false));
    } else {
      value = parse_primary();
    }
    value = parse_postfix(std::move(value));
    if (take_symbol("**")) value = binary("**", std::move(value), parse_unary(false));
    return with_filter ? parse_filters(std::move(value), false) : std::move(value);
  }

  Pointer parse_primary() {
    const Token& token = current();
    Pointer expression = make(ExpressionKind::literal);
    switch (token.kind) {
      case TokenKind::string:
        for (std::string text; current().kind == TokenKind::string; ++position_) {
          text += current().text;
          expression->value = text;
        }
        return expression;
      case TokenKind::integer:
        expression->value = parse_integer(token);
        ++position_;
        return expression;
      case TokenKind::number:
        expression->value = std::stod(token.text);
        ++position_;
        return expression;
      case TokenKind::name:
        return parse_name();
      default:
        break;
    }
    if (take_symbol("(")) return parse_parenthesis();
    if (take_symbol("[")) return parse_list();
    if (take_symbol("{")) return parse_dict();
    fail_here("an expression");
  }

  static Value parse_integer(const Token& token) {
    if (token.text.size() > 18) fail_template("line {}: {} is too large", token.line, token.text);
    return int64_t{std::stoll(token.text)};
  }

  Pointer parse_name() {
    Pointer expression = make(ExpressionKind::literal);
    const std::string name = expect_name();
    if (name == "true" || name == "True") {
      expression->value = true;
    } else if (name == "false" || name == "False") {
      expression->value = false;
    } else if (name == "none" || name == "None") {
      expression->value = None{};
    } else {
      expression->kind = ExpressionKind::name;
      expression->text = name;
    }
    return expression;
  }

  Pointer parse_parenthesis() {
    if (take_symbol(")")) return make(ExpressionKind::tuple);
    Pointer inner = parse_tuple();
    expect_symbol(")");
    return inner;
  }

  Pointer parse_list() {
    Pointer list = make(ExpressionKind::list);
    while (!take_symbol("]")) {
      if (!list->items.empty()) expect_symbol(",");
      if (take_symbol("]")) break;
      list->items.push_back(parse_expression());
    }
    return list;
  }

  Pointer parse_dict() {
    Pointer dict = make(ExpressionKind::dict);
    while (!take_symbol("}")) {
      if (!dict->items.empty()) expect_symbol(",");
      if (take_symbol("}")) break;
      dict->items.push_back(parse_expression());
      expect_symbol(":");
      dict->items.push_back(parse_expression());
    }
    return dict;
  }

  /// Attributes, items, slices, calls and tests behind a value.
  Pointer parse_postfix(Pointer value) {
    while (true) {
      if (take_symbol(".")) {
        Pointer attribute = make(ExpressionKind::attribute);
        const bool index = current().kind == TokenKind::integer;
        attribute->text = index ? tokens_[position_++].text : expect_name();
        attribute->items.push_back(std::move(value));
        value = std::move(attribute);
      } else if (take_symbol("[")) {
        value = parse_subscript(std::move(value));
      } else if (is_symbol("(")) {
        Pointer call = make(ExpressionKind::call);
        call->items.push_back(std::move(value));
        call->arguments = parse_arguments();
        value = std::move(call);
      } else {
        return value;
      }
    }
  }

  Pointer parse_subscript(Pointer value) {
    Pointer parts[3];
    int part = 0;
    bool slice = false;
    while (!take_symbol("]")) {
      if (take_symbol(":")) {
        slice = true;
        if (++part > 2) fail_here("']'");
      } else {
        parts[part] = parse_expression();
      }
    }
    if (!slice && !parts[0]) fail_here("an index");
    Pointer subscript = make(slice ? ExpressionKind::slice : ExpressionKind::item);
    subscript->items.push_back(std::move(value));
    for (int i = 0; i < (slice ? 3 : 1); ++i) subscript->items.push_back(std::move(parts[i]));
    return subscript;
  }

  std::vector<Argument> parse_arguments() {
    std::vector<Argument> arguments;
    expect_symbol("(");
    while (!take_symbol(")")) {
      if (!arguments.empty()) expect_symbol(",");
      if (take_symbol(")")) break;
      Argument argument;
      const Token& next = tokens_[position_ + 1];
      if (current().kind == TokenKind::name && next.kind == TokenKind::symbol && next.text == "=") {
        argument.name = expect_name();
        ++position_;
      }
      argument.value = parse_expression();
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

  /// Filters and tests behind a value; `first` takes a filter's name without "|" first.
  Pointer parse_filters(Pointer value, bool first) {
    while (true) {
      if (first || take_symbol("|")) {
        first = false;
        Pointer filter = make(ExpressionKind::filter);
        filter->text = expect_name();
        filter->items.push_back(std::move(value));
        if (is_symbol("(")) filter->arguments = parse_arguments();
        value = std::move(filter);
      } else if (take_name("is")) {
        value = parse_test(std::move(value));
      } else if (is_symbol("(") || is_symbol(".") || is_symbol("[")) {
        value = parse_postfix(std::move(value));
      } else {
        return value;
      }
    }
  }

  Pointer parse_test(Pointer value) {
    Pointer test = make(ExpressionKind::test);
    test->negated = take_name("not");
    test->text = expect_name();
    test->items.push_back(std::move(value));
    if (is_symbol("(")) {
      test->arguments = parse_arguments();
      return test;
    }
    // A test may take one operand without parentheses: "x is divisibleby 3".
    const TokenKind kind = current().kind;
    const bool literal = kind == TokenKind::string || kind == TokenKind::integer ||
                         kind == TokenKind::number || is_symbol("[") || is_symbol("{");
    const bool other_name = kind == TokenKind::name && !is_name("and") && !is_name("or") &&
                            !is_name("else") && !is_name("if") && !is_name("is") &&
                            !is_name("not") && !is_name("in");
    if (literal || other_name) {
      Argument argument;
      argument.value = parse_postfix(parse_primary());
      test->arguments.push_back(std::move(argument));
    }
    return test;
  }

  std::vector<Token> tokens_;
  size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Block parse_template(std::string_view source) {
  return Parser(source).parse();
}

}  // namespace hone::text::jinja
