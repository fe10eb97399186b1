#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <bit>
#include <cstring>
#include <optional>

#include "hone/text/normalizers.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

std::string decode_base64(const std::string& text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    static constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t value = kAlphabet.find(c);
    HONE_CHECK(value != kAlphabet.npos, "tokenizer: Precompiled: '{}' is no base64 character", c);
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) out.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  return out;
}

/// Graphemes shorter than this are looked up whole before their characters are.
constexpr size_t kMaxGrapheme = 6;

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(const Fields& json) {
    const std::string data = decode_base64(field<std::string>(json, "precompiled_charsmap"));
    uint32_t bytes = 0;
    HONE_CHECK(data.size() >= 4, "tokenizer: Precompiled: the character map is too short");
    std::memcpy(&bytes, data.data(), 4);
    HONE_CHECK(bytes % 4 == 0 && bytes <= data.size() - 4,
               "tokenizer: Precompiled: a trie of {} bytes does not fit in {}", bytes, data.size());
    units_.resize(bytes / 4);
    std::memcpy(units_.data(), data.data() + 4, bytes);
    strings_ = data.substr(4 + bytes);
  }

  void apply(MappedText& text) const override {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    UText* utext = utext_openUTF8(nullptr, text.text.data(), text.text.size(), &status);
    HONE_CHECK(U_SUCCESS(status), "tokenizer: ICU cannot find graphemes: {}", u_errorName(status));
    breaks->setText(utext, status);
    Rewriter out(text);
    int32_t begin = breaks->first();
    for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE;
         begin = end, end = breaks->next())
      rewrite(text.text, begin, end, out);
    out.finish();
    utext_close(utext);
  }

 private:
  void rewrite(std::string_view text, size_t begin, size_t end, Rewriter& out) const {
    if (end - begin < kMaxGrapheme)
      if (const auto to = transform(text.substr(begin, end - begin)))
        return out.put(*to, begin, end);
    for (size_t at = begin; at < end;) {
      const size_t next = at + decode_at(text, at).size;
      if (const auto to = transform(text.substr(at, next - at)))
        out.put(*to, at, next);
      else
        out.keep(at, next);
      at = next;
    }
  }

  /// What the shortest key that `text` begins with maps to (layout: darts-clone).
  std::optional<std::string_view> transform(std::string_view text) const {
    auto offset = [](uint32_t unit) { return (unit >> 10) << ((unit & 512) >> 6); };
    if (units_.empty()) return std::nullopt;
    size_t at = offset(units_[0]);
    for (const char c : text) {
      const auto byte = static_cast<uint8_t>(c);
      if (byte == 0) return std::nullopt;
      at ^= byte;
      if (at >= units_.size() || (units_[at] & 0x800000FF) != byte) return std::nullopt;
      const bool leaf = units_[at] >> 8 & 1;
      at ^= offset(units_[at]);
      if (!leaf || at >= units_.size()) continue;
      const size_t place = units_[at] & 0x7FFFFFFF;
      if (place >= strings_.size()) return std::nullopt;
      return std::string_view(strings_).substr(place, strings_.find('\0', place) - place);
    }
    return std::nullopt;
  }

  std::vector<uint32_t> units_;
  std::string strings_;
};

}  // namespace

std::unique_ptr<Normalizer> make_precompiled(const Fields& json) {
  return std::make_unique<Precompiled>(json);
}

}  // namespace hone::text
