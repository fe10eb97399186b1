#include "hone/text/jinja_tests.h"

#include "hone/text/jinja_case.h"
#include "hone/text/jinja_filters.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

bool leaves_rest(const Value& value, const Value& divisor, int64_t rest) {
  return equal(arithmetic(Operator::modulo, value, divisor), rest);
}

Value odd(Context&, const Bound& a) {
  return leaves_rest(a[0], 2, 1);
}
Value even(Context&, const Bound& a) {
  return leaves_rest(a[0], 2, 0);
}
Value divisible_by(Context&, const Bound& a) {
  return leaves_rest(a[0], a[1], 0);
}

Value defined(Context&, const Bound& a) {
  return !a[0].is_undefined();
}
Value undefined(Context&, const Bound& a) {
  return a[0].is_undefined();
}
Value none(Context&, const Bound& a) {
  return a[0].is_none();
}
Value boolean(Context&, const Bound& a) {
  return a[0].is_bool();
}
Value is_true(Context&, const Bound& a) {
  return a[0].is_bool() && truthy(a[0]);
}
Value is_false(Context&, const Bound& a) {
  return a[0].is_bool() && !truthy(a[0]);
}
Value integer(Context&, const Bound& a) {
  return a[0].is_int() && !a[0].is_bool();
}
Value is_float(Context&, const Bound& a) {
  return a[0].is_float();
}
Value number(Context&, const Bound& a) {
  return a[0].is_number();
}
Value string(Context&, const Bound& a) {
  return a[0].text() != nullptr;
}
Value mapping(Context&, const Bound& a) {
  return a[0].dict() != nullptr;
}
Value escaped(Context&, const Bound& a) {
  return a[0].text() && a[0].text()->markup;
}
Value lower_case(Context&, const Bound& a) {
  return is_lower(print(a[0]));
}
Value upper_case(Context&, const Bound& a) {
  return is_upper(print(a[0]));
}

Value sequence(Context&, const Bound& a) {
  const Sequence* sequence = a[0].sequence();
  return a[0].is_undefined() || a[0].text() || a[0].dict() ||
         (sequence && sequence->is_indexable());
}

Value iterable(Context&, const Bound& a) {
  return is_iterable(a[0]) || (a[0].object() && a[0].object()->type_name() == "LoopContext");
}

Value callable(Context&, const Bound& a) {
  return a[0].is_undefined() || (a[0].object() && a[0].object()->is_callable());
}

/// Python's `is`; equal numbers and strings of one type count as the same.
Value same_as(Context&, const Bound& a) {
  if (a[0].data().index() != a[1].data().index()) return false;
  if (a[0].sequence()) return a[0].sequence() == a[1].sequence();
  if (a[0].dict()) return a[0].dict() == a[1].dict();
  return equal(a[0], a[1]);
}

Value in(Context&, const Bound& a) {
  return contains(a[1], a[0]);
}
Value is_filter(Context&, const Bound& a) {
  return a[0].text() && find_filter(a[0].text()->bytes()) != nullptr;
}
Value is_test(Context&, const Bound& a) {
  return a[0].text() && find_test(a[0].text()->bytes()) != nullptr;
}

template <Comparison comparison>
Value compares(Context&, const Bound& a) {
  return compare(comparison, a[0], a[1]);
}

constexpr Function kTests[] = {
    {"odd", "value", odd},
    {"even", "value", even},
    {"divisibleby", "value num", divisible_by},
    {"defined", "value", defined},
    {"undefined", "value", undefined},
    {"filter", "value", is_filter},
    {"test", "value", is_test},
    {"none", "value", none},
    {"boolean", "value", boolean},
    {"false", "value", is_false},
    {"true", "value", is_true},
    {"integer", "value", integer},
    {"float", "value", is_float},
    {"lower", "value", lower_case},
    {"upper", "value", upper_case},
    {"string", "value", string},
    {"mapping", "value", mapping},
    {"number", "value", number},
    {"sequence", "value", sequence},
    {"iterable", "value", iterable},
    {"callable", "_", callable},
    {"sameas", "value other", same_as},
    {"escaped", "value", escaped},
    {"in", "value seq", in},
    {"==", "_ _", compares<Comparison::equal>},
    {"eq", "_ _", compares<Comparison::equal>},
    {"equalto", "_ _", compares<Comparison::equal>},
    {"!=", "_ _", compares<Comparison::not_equal>},
    {"ne", "_ _", compares<Comparison::not_equal>},
    {">", "_ _", compares<Comparison::greater>},
    {"gt", "_ _", compares<Comparison::greater>},
    {"greaterthan", "_ _", compares<Comparison::greater>},
    {">=", "_ _", compares<Comparison::greater_equal>},
    {"ge", "_ _", compares<Comparison::greater_equal>},
    {"<", "_ _", compares<Comparison::less>},
    {"lt", "_ _", compares<Comparison::less>},
    {"lessthan", "_ _", compares<Comparison::less>},
    {"<=", "_ _", compares<Comparison::less_equal>},
    {"le", "_ _", compares<Comparison::less_equal>},
};

}  // namespace

const Function* find_test(std::string_view name) {
  return find_function(kTests, name);
}

}  // namespace hone::text::jinja
