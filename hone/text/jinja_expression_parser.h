#pragma once

#include "hone/text/jinja_ast.h"
#include "hone/text/jinja_lexer.h"

/// Internal to hone/text.
namespace hone::text::jinja {

/// The grammar of expressions, as jinja2.parser has it, over a list of tokens.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

 protected:
  /// Counts nested constructs while it lives; too many are an input error.
  class Nesting {
   public:
    explicit Nesting(ExpressionParser& parser) : parser_(parser) { deeper(); }
    ~Nesting() { parser_.nesting_ -= count_; }
    void deeper();

   private:
    ExpressionParser& parser_;
    int count_ = 0;
  };

  /// One expression; without `conditional`, `a if b` is left alone.
  ExpressionPtr parse_expression(bool conditional = true);
  /// One expression, or several with commas as a tuple; `end` is a name that ends it.
  ExpressionPtr parse_tuple(bool conditional = true, std::string_view end = {});
  /// |filter|filter… on `value`, which may be null; with `first` the bar before is not there.
  ExpressionPtr parse_filters(ExpressionPtr value, bool first = false);

  const Token& current() const { return tokens_[at_]; }
  const Token& peek() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
  bool is_symbol(std::string_view text) const;
  bool is_name(std::string_view text) const;
  bool skip_symbol(std::string_view text);
  bool skip_name(std::string_view text);
  void expect_symbol(std::string_view text);
  std::string expect_name();
  [[noreturn]] void fail(std::string_view message) const { fail_at(current(), message); }
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// An unknown filter or test is an error now, except within an `if`, where it may not be reached.
  void check_names() const;

  std::vector<Procedure*> procedures_;  // whose bodies are being parsed
  int soft_depth_ = 0;                  // `if`s around
  std::optional<Token> unknown_;        // filter or test

 private:
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_compare();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concat();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filters);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_name();
  ExpressionPtr parse_string();
  ExpressionPtr parse_parenthesis();
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_postfix(ExpressionPtr value, bool filters);
  ExpressionPtr parse_dot(ExpressionPtr value);
  ExpressionPtr parse_subscript(ExpressionPtr value);
  ExpressionPtr parse_test(ExpressionPtr value);
  CallArguments parse_arguments();
  CallArguments parse_test_arguments();
  void parse_argument(CallArguments& arguments);
  std::string parse_dotted_name();
  std::optional<Comparison> take_comparison();
  ExpressionPtr parse_binary(
      ExpressionPtr (ExpressionParser::*operand)(),
      std::initializer_list<std::pair<std::string_view, Operator>> operators);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace hone::text::jinja
