#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json.h"
#include "hone/base/rng.h"

namespace hone::reward {

/// A generated prompt with its ground truth. `metadata` has `task`, the kind of its generator, and
/// what the generator's verifier needs.
struct Problem {
  std::string question;
  std::string answer;
  Json metadata;
};

/// The largest number of different problems of a generator.
constexpr uint64_t kMaxProblemCount = uint64_t{1} << 62;

/// base^exponent, or kMaxProblemCount + 1 if that is larger than kMaxProblemCount.
uint64_t bounded_power(uint64_t base, uint64_t exponent);
/// a * b with the same bound.
uint64_t bounded_product(uint64_t a, uint64_t b);

/// rank % base; divides rank by base: the next digit of a mixed-radix number.
uint64_t take_digit(uint64_t& rank, uint64_t base);

/// The draws that belong to the problem `rank` of a generator.
RandomStream problem_stream(uint64_t seed, uint64_t rank);

/// `text` with every {name} replaced by `value`.
std::string with_value(std::string text, std::string_view name, std::string_view value);

/// "3, 5, 9".
std::string list_numbers(const std::vector<int64_t>& numbers);

/// The part of a completion that holds its answer: the last <answer>…</answer>, else the last line
/// that is not blank; stripped.
std::string_view final_part(std::string_view completion);

}  // namespace hone::reward
