#include "hone/reward/reward.h"

namespace hone::reward {

const char* status_name(Status status) {
  constexpr const char* kNames[] = {"ok", "unparsed", "skipped"};
  return kNames[static_cast<int>(status)];
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace hone::reward
