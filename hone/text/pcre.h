#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/text/tokenizer.h"

namespace hone::text {

/// A compiled regular expression (PCRE2 JIT, UTF, UCP).
class Regex {
 public:
  /// An input error names `pattern` and the place where it is wrong.
  explicit Regex(const std::string& pattern);
  /// All matches that are not empty, from left to right.
  std::vector<ByteSpan> find_all(std::string_view text) const;

 private:
  std::shared_ptr<void> code_;
  std::string pattern_;
};

}  // namespace hone::text
