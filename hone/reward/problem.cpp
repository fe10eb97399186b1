#include "hone/reward/problem.h"

#include <fmt/ranges.h>

#include "hone/reward/reward.h"

namespace hone::reward {

uint64_t bounded_product(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return product > kMaxProblemCount ? kMaxProblemCount + 1 : static_cast<uint64_t>(product);
}

uint64_t bounded_power(uint64_t base, uint64_t exponent) {
  uint64_t power = 1;
  for (uint64_t i = 0; i < exponent && power <= kMaxProblemCount; ++i) {
    power = bounded_product(power, base);
  }
  return power;
}

uint64_t take_digit(uint64_t& rank, uint64_t base) {
  const uint64_t digit = rank % base;
  rank /= base;
  return digit;
}

RandomStream problem_stream(uint64_t seed, uint64_t rank) {
  return {seed, static_cast<uint32_t>(rank >> 32), static_cast<uint32_t>(rank)};
}

std::string with_value(std::string text, std::string_view name, std::string_view value) {
  const std::string marker = fmt::format("{{{}}}", name);
  for (size_t at = text.find(marker); at != text.npos; at = text.find(marker, at + value.size())) {
    text.replace(at, marker.size(), value);
  }
  return text;
}

std::string list_numbers(const std::vector<int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

std::string_view final_part(std::string_view completion) {
  constexpr std::string_view kOpen = "<answer>", kClose = "</answer>";
  const size_t close = completion.rfind(kClose);
  const size_t open = close == completion.npos ? close : completion.rfind(kOpen, close);
  if (open != completion.npos) {
    return stripped(completion.substr(open + kOpen.size(), close - open - kOpen.size()));
  }
  const std::string_view text = stripped(completion);
  return stripped(text.substr(text.rfind('\n') + 1));
}

}  // namespace hone::reward
