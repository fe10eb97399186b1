#include "hone/text/pattern.h"

#include "hone/text/unicode.h"

namespace hone::text {

Pattern::Pattern(const Fields& json) {
  if (json.is_object() && json.contains("Regex")) {
    const auto text = field<std::string>(json, "Regex");
    scanner_ = find_scanner(text);
    if (!scanner_) regex_.emplace(text);
    return;
  }
  literal_ = field<std::string>(json, "String");
}

std::vector<ByteSpan> Pattern::find_all(std::string_view text) const {
  if (scanner_) return scan_all(scanner_, text);
  if (regex_) return regex_->find_all(text);
  std::vector<ByteSpan> found;
  if (literal_.empty()) return found;
  for (size_t at = text.find(literal_); at != text.npos;
       at = text.find(literal_, at + literal_.size()))
    found.push_back({int64_t(at), int64_t(at + literal_.size())});
  return found;
}

std::vector<ByteSpan> scan_all(SplitScanner scanner, std::string_view text) {
  std::vector<ByteSpan> found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = scanner(text, at);
    if (end > at) found.push_back({int64_t(at), int64_t(end)});
    at = end > at ? end : at + decode_at(text, at).size;
  }
  return found;
}

}  // namespace hone::text
