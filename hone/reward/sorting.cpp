#include "hone/reward/sorting.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "hone/base/check.h"

namespace hone::reward {
namespace {

/// All integers of a text; a minus counts as a sign after anything but a digit.
std::vector<int64_t> integers_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<int64_t> numbers;
  for (size_t at = text.find_first_of(kDigits); at != text.npos;) {
    const bool negative =
        at > 0 && text[at - 1] == '-' && (at == 1 || kDigits.find(text[at - 2]) == kDigits.npos);
    int64_t value = 0;
    const auto result = std::from_chars(text.data() + at, text.data() + text.size(), value);
    numbers.push_back(negative ? -value : value);
    at = text.find_first_of(kDigits, result.ptr - text.data());
  }
  return numbers;
}

}  // namespace

void SortingTask::check() const {
  HONE_CHECK(2 <= numbers && numbers <= 64, "numbers must be 2 to 64, came {}", numbers);
  HONE_CHECK(-1000000 <= minimum && minimum < maximum && maximum <= 1000000,
             "must hold -1000000 <= minimum < maximum <= 1000000, came {} and {}", minimum,
             maximum);
}

uint64_t SortingTask::count() const {
  const uint64_t all = bounded_power(static_cast<uint64_t>(maximum - minimum) + 1, numbers);
  return std::min(all, kMaxProblemCount);
}

Problem SortingTask::problem(uint64_t, uint64_t rank) const {
  std::vector<int64_t> values;
  for (int32_t i = 0; i < numbers; ++i) {
    values.push_back(minimum + static_cast<int64_t>(
                                   take_digit(rank, static_cast<uint64_t>(maximum - minimum) + 1)));
  }
  std::string text = with_value(question, "numbers", list_numbers(values));
  text = with_value(text, "order", descending ? "descending" : "ascending");
  std::sort(values.begin(), values.end());
  if (descending) std::reverse(values.begin(), values.end());
  return {text, list_numbers(values), Json{{"task", kKind}}};
}

Score SortingTask::verify(const Sample& sample) {
  const auto got = integers_of(final_part(sample.completion));
  if (got.empty()) return {0, Status::unparsed};
  return {got == integers_of(sample.answer) ? 1.0 : 0.0};
}

}  // namespace hone::reward
