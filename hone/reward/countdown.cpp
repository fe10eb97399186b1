#include "hone/reward/countdown.h"

#include <algorithm>

#include "hone/base/check.h"
#include "hone/reward/expression.h"

namespace hone::reward {
namespace {

constexpr int kDrawsPerProblem = 64;

/// Binomial coefficient, bounded like bounded_product.
uint64_t binomial(uint64_t n, uint64_t k) {
  unsigned __int128 value = 1;
  for (uint64_t i = 1; i <= k; ++i) {
    value = value * (n - k + i) / i;
    if (value > kMaxProblemCount) return kMaxProblemCount + 1;
  }
  return n < k ? 0 : static_cast<uint64_t>(value);
}

struct Part {
  int64_t value;
  std::string text;
};

/// a op b if it is a positive integer.
std::optional<Part> combined(const Part& a, const Part& b, char operation) {
  const Part& large = a.value < b.value ? b : a;
  const Part& small = a.value < b.value ? a : b;
  const bool divides = large.value % small.value == 0;
  int64_t value = 0;
  if (operation == '+') value = large.value + small.value;
  if (operation == '-') value = large.value - small.value;
  if (operation == '*') value = large.value * small.value;
  if (operation == '/') value = divides ? large.value / small.value : 0;
  if (value <= 0) return std::nullopt;
  return Part{value, fmt::format("({} {} {})", large.text, operation, small.text)};
}

/// Combines random pairs until one part is left; none if a step or the limit fails.
std::optional<Part> random_expression(std::vector<Part> parts, int64_t limit,
                                      const RandomStream& stream, uint64_t draw) {
  for (uint64_t step = 0; parts.size() > 1; ++step) {
    const auto take = [&](uint64_t index) {
      const auto at = parts.begin() + static_cast<int64_t>(stream.below(index, parts.size()));
      Part part = std::move(*at);
      parts.erase(at);
      return part;
    };
    const uint64_t first = draw * 64 + step * 3;
    const Part a = take(first), b = take(first + 1);
    const auto part = combined(a, b, "+-*/"[stream.below(first + 2, 4)]);
    if (!part || part->value > 1000000) return std::nullopt;
    parts.push_back(*part);
  }
  if (parts[0].value > limit) return std::nullopt;
  return parts[0];
}

/// The multiset of this rank, by the combinatorial number system on value + position.
std::vector<int64_t> numbers_of(uint64_t rank, int64_t minimum, uint64_t range, int32_t count) {
  std::vector<int64_t> numbers;
  uint64_t top = range + count - 1;
  for (int32_t k = count; k >= 1; --k) {
    do {
      --top;
    } while (binomial(top, k) > rank);
    rank -= binomial(top, k);
    numbers.push_back(minimum + static_cast<int64_t>(top) - (k - 1));
  }
  return numbers;
}

}  // namespace

void CountdownTask::check() const {
  HONE_CHECK(2 <= numbers && numbers <= 8, "numbers must be 2 to 8, came {}", numbers);
  HONE_CHECK(1 <= minimum && minimum <= maximum && maximum <= 1000,
             "must hold 1 <= minimum <= maximum <= 1000, came {} and {}", minimum, maximum);
  HONE_CHECK(target_maximum >= 1, "target_maximum must be at least 1, came {}", target_maximum);
  HONE_CHECK(count() <= kMaxProblemCount, "more than 2^62 problems; use fewer numbers");
}

uint64_t CountdownTask::count() const {
  return binomial(static_cast<uint64_t>(maximum - minimum) + static_cast<uint64_t>(numbers),
                  static_cast<uint64_t>(numbers));
}

Problem CountdownTask::problem(uint64_t seed, uint64_t rank) const {
  const RandomStream stream = problem_stream(seed, rank);
  const uint64_t range = static_cast<uint64_t>(maximum - minimum) + 1;
  std::vector<int64_t> values = numbers_of(rank, minimum, range, numbers);
  for (size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[stream.below((uint64_t{1} << 32) + i, i)]);
  }
  std::vector<Part> parts;
  Part found{0, ""};
  for (const int64_t value : values) {
    parts.push_back({value, std::to_string(value)});
    found = {found.value + value,
             found.text.empty() ? parts.back().text : found.text + " + " + parts.back().text};
  }
  for (uint64_t draw = 0; draw < kDrawsPerProblem; ++draw) {
    if (const auto part = random_expression(parts, target_maximum, stream, draw)) {
      found = {part->value, part->text.substr(1, part->text.size() - 2)};
      break;
    }
  }
  std::string text = with_value(question, "numbers", list_numbers(values));
  text = with_value(text, "target", std::to_string(found.value));
  return {
      text, found.text,
      Json{{"task", kKind}, {"numbers", values}, {"target", found.value}, {"use_all", use_all}}};
}

Score CountdownTask::verify(const Sample& sample) {
  const Json& data = sample.metadata;
  if (!data.is_object() || !data.contains("numbers") || !data.contains("target")) {
    return {0, Status::skipped};
  }
  std::string_view text = final_part(sample.completion);
  const int64_t target = data["target"].get<int64_t>();
  if (const size_t equals = text.find('='); equals != text.npos) {
    if (stripped(text.substr(equals + 1)) != std::to_string(target)) return {0};
    text = text.substr(0, equals);
  }
  const auto result = evaluate(text);
  if (!result) return {0, Status::unparsed};
  auto given = data["numbers"].get<std::vector<int64_t>>();
  auto used = result->numbers;
  std::sort(given.begin(), given.end());
  std::sort(used.begin(), used.end());
  const bool allowed = data.value("use_all", true)
                           ? used == given
                           : std::includes(given.begin(), given.end(), used.begin(), used.end());
  return {allowed && result->value == Rational{target, 1} ? 1.0 : 0.0};
}

}  // namespace hone::reward
