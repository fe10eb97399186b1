#include "hone/reward/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "hone/base/check.h"

namespace hone::reward {
namespace {

constexpr uint32_t kMatchLimit = 1000000;

const pcre2_code* code_of(const std::shared_ptr<const void>& code) {
  return static_cast<const pcre2_code*>(code.get());
}

pcre2_match_context* limited_context() {
  static pcre2_match_context* context = [] {
    pcre2_match_context* made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, kMatchLimit);
    return made;
  }();
  return context;
}

}  // namespace

Pattern::Pattern(const std::string& pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, nullptr);
  if (!code) {
    PCRE2_UCHAR message[256];
    pcre2_get_error_message(error, message, sizeof message);
    fail_input("pattern '{}': {} at byte {}", pattern, reinterpret_cast<char*>(message), offset);
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  code_ = {code,
           [](const void* p) { pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(p))); }};
}

std::vector<std::string_view> Pattern::search(std::string_view text, size_t from,
                                              uint32_t options) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(code_of(code_), nullptr), &pcre2_match_data_free);
  const auto match = [&](uint32_t how) {
    return pcre2_match(code_of(code_), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                       options | how, data.get(), limited_context());
  };
  int count = match(0);
  if (count == PCRE2_ERROR_JIT_STACKLIMIT) count = match(PCRE2_NO_JIT);
  if (count < 0) return {};
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
  std::vector<std::string_view> groups(group_count() + 1);
  for (int i = 0; i < count; ++i) {
    if (ends[2 * i] == PCRE2_UNSET) continue;
    groups[i] = text.substr(ends[2 * i], ends[2 * i + 1] - ends[2 * i]);
  }
  groups[0] = text.substr(ends[0], ends[1] - ends[0]);
  return groups;
}

bool Pattern::matches(std::string_view text) const {
  return !search(text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED).empty();
}

std::vector<std::string_view> Pattern::last_match(std::string_view text) const {
  std::vector<std::string_view> last;
  for (size_t from = 0; from <= text.size();) {
    std::vector<std::string_view> groups = search(text, from, 0);
    if (groups.empty()) break;
    from = groups[0].data() - text.data() + std::max<size_t>(groups[0].size(), 1);
    last = std::move(groups);
  }
  return last;
}

int Pattern::group_count() const {
  uint32_t count = 0;
  pcre2_pattern_info(code_of(code_), PCRE2_INFO_CAPTURECOUNT, &count);
  return static_cast<int>(count);
}

}  // namespace hone::reward
