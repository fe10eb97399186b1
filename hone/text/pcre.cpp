#define PCRE2_CODE_UNIT_WIDTH 8
#include "hone/text/pcre.h"

#include <pcre2.h>

#include "hone/base/check.h"

namespace hone::text {

Regex::Regex(const std::string& pattern) : pattern_(pattern) {
  int error = 0;
  size_t at = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr);
  if (!code) {
    unsigned char text[200];
    pcre2_get_error_message(error, text, sizeof text);
    fail_input("tokenizer: the pattern '{}' is wrong at character {}: {}", pattern, at,
               reinterpret_cast<char*>(text));
  }
  code_.reset(code, [](void* p) { pcre2_code_free(static_cast<pcre2_code*>(p)); });
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
}

std::vector<ByteSpan> Regex::find_all(std::string_view text) const {
  auto* code = static_cast<const pcre2_code*>(code_.get());
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  std::vector<ByteSpan> found;
  for (size_t at = 0; at <= text.size();) {
    const int rc = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                               PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, match.get(), nullptr);
    if (rc == PCRE2_ERROR_NOMATCH) break;
    HONE_CHECK(rc > 0, "tokenizer: matching the pattern '{}' failed with PCRE2 error {}", pattern_,
               rc);
    const size_t* place = pcre2_get_ovector_pointer(match.get());
    found.push_back({static_cast<int64_t>(place[0]), static_cast<int64_t>(place[1])});
    at = place[1];
  }
  return found;
}

}  // namespace hone::text
