#include "hone/text/normalizers.h"

#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <functional>

#include "hone/text/pattern.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

/// Replaces each character by what `map` appends for it.
class EachChar : public Normalizer {
 public:
  using Map = std::function<void(char32_t, std::string&)>;
  explicit EachChar(Map map) : map_(std::move(map)) {}
  void apply(MappedText& text) const override {
    Rewriter out(text);
    std::string to;
    for (size_t at = 0; at < text.text.size();) {
      const Decoded c = decode_at(text.text, at);
      to.clear();
      map_(c.code, to);
      out.put(to, at, at + c.size);
      at += c.size;
    }
    out.finish();
  }

 private:
  Map map_;
};

/// A Unicode normal form, segment by segment between its boundaries.
class NormalForm : public Normalizer {
 public:
  explicit NormalForm(const icu::Normalizer2* form) : form_(form) {}
  void apply(MappedText& text) const override {
    UErrorCode status = U_ZERO_ERROR;
    if (form_->isNormalizedUTF8(text.text, status)) return;
    Rewriter out(text);
    for (size_t at = 0; at < text.text.size();) {
      size_t end = at;
      do end += decode_at(text.text, end).size;
      while (end < text.text.size() &&
             !form_->hasBoundaryBefore(static_cast<UChar32>(decode_at(text.text, end).code)));
      std::string to;
      form_->normalize(icu::UnicodeString::fromUTF8(text.text.substr(at, end - at)), status)
          .toUTF8String(to);
      put_by_char(to, at, end, text.text, out);
      at = end;
    }
    out.finish();
  }

 private:
  /// Pairs the characters of `to` with those of text[at, end); the last takes what is left.
  static void put_by_char(std::string_view to, size_t at, size_t end, std::string_view text,
                          Rewriter& out) {
    for (;;) {
      const size_t size = decode_at(text, at).size, to_size = decode_at(to, 0).size;
      if (at + size >= end || to_size >= to.size()) break;
      out.put(to.substr(0, to_size), at, at + size);
      at += size;
      to.remove_prefix(to_size);
    }
    out.put(to, at, end);
  }
  const icu::Normalizer2* form_;
};

class Strip : public Normalizer {
 public:
  explicit Strip(const Fields& json)
      : left_(field_or(json, "strip_left", true)), right_(field_or(json, "strip_right", true)) {}
  void apply(MappedText& text) const override {
    size_t begin = 0, end = text.text.size();
    auto space = [](Decoded c) { return (char_class(c.code) & kSpace) != 0; };
    while (left_ && begin < end && space(decode_at(text.text, begin)))
      begin += decode_at(text.text, begin).size;
    while (right_ && end > begin && space(decode_before(text.text, end)))
      end -= decode_before(text.text, end).size;
    Rewriter out(text);
    out.keep(begin, end);
    out.finish();
  }

 private:
  bool left_, right_;
};

class Replace : public Normalizer {
 public:
  explicit Replace(const Fields& json)
      : pattern_(json.contains("pattern") ? json["pattern"] : Fields()),
        content_(field<std::string>(json, "content")) {}
  void apply(MappedText& text) const override {
    const auto found = pattern_.find_all(text.text);
    if (found.empty()) return;
    Rewriter out(text);
    size_t at = 0;
    for (const ByteSpan& match : found) {
      out.keep(at, match.begin);
      out.put(content_, match.begin, match.end);
      at = match.end;
    }
    out.keep(at, text.text.size());
    out.finish();
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(const Fields& json) : content_(field<std::string>(json, "prepend")) {}
  void apply(MappedText& text) const override {
    if (text.text.empty()) return;
    Rewriter out(text);
    out.put(content_, 0, 0);
    out.keep(0, text.text.size());
    out.finish();
  }

 private:
  std::string content_;
};

class ByteLevel : public Normalizer {
 public:
  void apply(MappedText& text) const override {
    Rewriter out(text);
    for (size_t i = 0; i < text.text.size(); ++i)
      out.put(to_byte_aliases({&text.text[i], 1}), i, i + 1);
    out.finish();
  }
};

void lowercase(char32_t c, std::string& out) {
  // The only character whose full lower case is two characters.
  if (c == 0x130) {
    out += "i\xCC\x87";
    return;
  }
  append_utf8(out, static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
}

void drop_marks(char32_t c, std::string& out) {
  if (!(char_class(c) & kMark)) append_utf8(out, c);
}

void nmt(char32_t c, std::string& out) {
  const bool removed = (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
                       c == 0x8F || c == 0x9F;
  if (removed) return;
  const bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                     (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                     c == 0xFEFF || c == 0xFFFD;
  append_utf8(out, space ? U' ' : c);
}

void clean_text(char32_t c, std::string& out) {
  const bool space = char_class(c) & kSpace;
  const bool control = c == 0 || c == 0xFFFD || (char_class(c) & kOther);
  const bool line = c == '\t' || c == '\n' || c == '\r';
  if (space && (line || !control))
    out += ' ';
  else if (!control)
    append_utf8(out, c);
}

bool is_chinese(char32_t c) {
  static constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](auto range) { return c >= range.first && c <= range.second; });
}

void pad_chinese(char32_t c, std::string& out) {
  if (is_chinese(c)) out += ' ';
  append_utf8(out, c);
  if (is_chinese(c)) out += ' ';
}

const icu::Normalizer2* normal_form(const std::string& type) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = nullptr;
  if (type == "NFC") form = icu::Normalizer2::getNFCInstance(status);
  if (type == "NFD") form = icu::Normalizer2::getNFDInstance(status);
  if (type == "NFKC") form = icu::Normalizer2::getNFKCInstance(status);
  if (type == "NFKD") form = icu::Normalizer2::getNFKDInstance(status);
  HONE_CHECK(U_SUCCESS(status), "tokenizer: ICU has no data for {}: {}", type, u_errorName(status));
  return form;
}

using Steps = std::vector<std::unique_ptr<Normalizer>>;

void add_bert(const Fields& json, Steps& out) {
  auto add = [&](EachChar::Map map) { out.push_back(std::make_unique<EachChar>(std::move(map))); };
  const bool lower = field_or(json, "lowercase", true);
  if (field_or(json, "clean_text", true)) add(clean_text);
  if (field_or(json, "handle_chinese_chars", true)) add(pad_chinese);
  if (field_or(json, "strip_accents", lower)) {
    out.push_back(std::make_unique<NormalForm>(normal_form("NFD")));
    add([](char32_t c, std::string& to) {
      if (!(char_class(c) & kNonspacingMark)) append_utf8(to, c);
    });
  }
  if (lower) add(lowercase);
}

std::unique_ptr<Normalizer> make_one(const std::string& type, const Fields& json) {
  if (type == "Lowercase") return std::make_unique<EachChar>(lowercase);
  if (type == "StripAccents") return std::make_unique<EachChar>(drop_marks);
  if (type == "Nmt") return std::make_unique<EachChar>(nmt);
  if (type == "Strip") return std::make_unique<Strip>(json);
  if (type == "Replace") return std::make_unique<Replace>(json);
  if (type == "Prepend") return std::make_unique<Prepend>(json);
  if (type == "ByteLevel") return std::make_unique<ByteLevel>();
  if (type == "Precompiled") return make_precompiled(json);
  if (const auto* form = normal_form(type)) return std::make_unique<NormalForm>(form);
  fail_input("tokenizer: unknown normalizer '{}'", type);
}

void add_steps(const Fields& json, Steps& out) {
  if (json.is_null()) return;
  const auto type = field<std::string>(json, "type");
  if (type == "Sequence") {
    for (const Fields& step : list_field(json, "normalizers")) add_steps(step, out);
  } else if (type == "BertNormalizer") {
    add_bert(json, out);
  } else {
    out.push_back(make_one(type, json));
  }
}

}  // namespace

std::vector<std::unique_ptr<Normalizer>> make_normalizers(const Fields& json) {
  Steps steps;
  add_steps(json, steps);
  return steps;
}

}  // namespace hone::text
