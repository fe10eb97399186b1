#include "hone/text/pcre.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "hone/base/check.h"

namespace hone::text {
namespace {

std::string message_of(int error) {
  PCRE2_UCHAR buffer[256];
  pcre2_get_error_message(error, buffer, sizeof buffer);
  return reinterpret_cast<const char*>(buffer);
}

}  // namespace

Pattern::Pattern(std::string_view pattern) {
  int error = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP, &error, &place, nullptr);
  HONE_CHECK(code, "regular expression '{}': {} at byte {}", pattern, message_of(error), place);
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  code_ = {code, [](void* p) { pcre2_code_free(static_cast<pcre2_code*>(p)); }};
}

void Pattern::for_each_match(std::string_view text,
                             const std::function<void(ByteSpan)>& body) const {
  auto* code = static_cast<pcre2_code*>(code_.get());
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  for (PCRE2_SIZE offset = 0; offset < text.size();) {
    const int count =
        pcre2_match(code, subject, text.size(), offset, PCRE2_NOTEMPTY, data.get(), nullptr);
    if (count == PCRE2_ERROR_NOMATCH) return;
    if (count < 0) fail("regular expression: {}", message_of(count));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    body({static_cast<int64_t>(ends[0]), static_cast<int64_t>(ends[1])});
    offset = ends[1];
  }
}

std::string quote_pattern(std::string_view text) {
  std::string quoted;
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 128 && !isalnum(static_cast<unsigned char>(c))) {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted;
}

}  // namespace hone::text
