#include "hone/reward/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"
#include "hone/reward/number.h"

namespace hone::reward {

void ArithmeticTask::check() const {
  HONE_CHECK(minimum <= maximum, "minimum must not exceed maximum, came {} and {}", minimum,
             maximum);
  HONE_CHECK(terms >= 2 && !operations.empty(),
             "terms must be at least 2 (came {}) and "
             "operations must not be empty",
             terms);
  for (size_t i = 0; i < operations.size(); ++i) {
    HONE_CHECK(std::count(operations.begin(), operations.end(), operations[i]) == 1,
               "operations must differ, '{}' came twice",
               enum_names(Operation{})[static_cast<int>(operations[i])].second);
  }
  const double largest =
      std::max(std::abs(static_cast<double>(minimum)), std::abs(static_cast<double>(maximum)));
  HONE_CHECK(terms * std::pow(largest, terms) < 0x1p53 && count() <= kMaxProblemCount,
             "{} terms up to {} give numbers beyond 2^53; use fewer or smaller ones", terms,
             largest);
}

uint64_t ArithmeticTask::count() const {
  const uint64_t range = static_cast<uint64_t>(maximum - minimum) + 1;
  return bounded_product(bounded_power(range, terms), bounded_power(operations.size(), terms - 1));
}

Problem ArithmeticTask::problem(uint64_t, uint64_t rank) const {
  const uint64_t range = static_cast<uint64_t>(maximum - minimum) + 1;
  int64_t product = minimum + static_cast<int64_t>(take_digit(rank, range));
  int64_t sum = 0;
  std::string expression = std::to_string(product);
  for (int32_t i = 1; i < terms; ++i) {
    const Operation operation = operations[take_digit(rank, operations.size())];
    const int64_t value = minimum + static_cast<int64_t>(take_digit(rank, range));
    expression +=
        fmt::format(" {} {}", enum_names(operation)[static_cast<int>(operation)].second, value);
    if (operation == Operation::multiply) {
      product *= value;
    } else {
      sum += product;
      product = operation == Operation::add ? value : -value;
    }
  }
  return {with_value(question, "expression", expression), std::to_string(sum + product),
          Json{{"task", kKind}}};
}

Score ArithmeticTask::verify(const Sample& sample) {
  const auto wanted = last_number(sample.answer), got = last_number(sample.completion);
  if (!wanted) return {0, Status::skipped};
  if (!got) return {0, Status::unparsed};
  return {equal_numbers(*got, *wanted, 0) ? 1.0 : 0.0};
}

}  // namespace hone::reward
