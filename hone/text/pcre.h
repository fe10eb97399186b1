#pragma once

#include <functional>
#include <memory>

#include "hone/text/tokenizer.h"

namespace hone::text {

/// A compiled regular expression (PCRE2 with UTF, UCP and JIT). May be used from several threads.
class Pattern {
 public:
  /// A pattern that does not compile is an input error with its place.
  explicit Pattern(std::string_view pattern);

  /// Calls `body` with each match in order; empty matches are left out.
  void for_each_match(std::string_view text, const std::function<void(ByteSpan)>& body) const;

 private:
  std::shared_ptr<void> code_;
};

/// A pattern that matches `text` literally.
std::string quote_pattern(std::string_view text);

}  // namespace hone::text
