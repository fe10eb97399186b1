#include "hone/text/pre_tokenizers.h"

#include <unicode/uscript.h>

#include <functional>

#include "hone/text/pattern.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

enum class Behavior { removed, isolated, with_previous, with_next, contiguous };

Behavior parse_behavior(const std::string& name) {
  if (name == "Removed") return Behavior::removed;
  if (name == "Isolated") return Behavior::isolated;
  if (name == "MergedWithPrevious") return Behavior::with_previous;
  if (name == "MergedWithNext") return Behavior::with_next;
  if (name == "Contiguous") return Behavior::contiguous;
  fail_input("tokenizer: unknown split behavior '{}'", name);
}

struct Part {
  ByteSpan span;
  bool match;
};

/// Matches and the gaps between them, covering [0, size).
std::vector<Part> with_gaps(const std::vector<ByteSpan>& matches, int64_t size, bool invert) {
  std::vector<Part> parts;
  int64_t at = 0;
  for (const ByteSpan& match : matches) {
    if (match.begin > at) parts.push_back({{at, match.begin}, invert});
    parts.push_back({match, !invert});
    at = match.end;
  }
  if (at < size) parts.push_back({{at, size}, invert});
  return parts;
}

void emit_parts(const std::vector<Part>& parts, Behavior behavior, int64_t offset,
                std::vector<ByteSpan>& out) {
  const size_t first = out.size();
  bool previous = false, have = false;
  for (const Part& part : parts) {
    const ByteSpan span{part.span.begin + offset, part.span.end + offset};
    const bool has_last = out.size() > first && have;
    const bool join =
        has_last && ((behavior == Behavior::with_previous && part.match && !previous) ||
                     (behavior == Behavior::with_next && previous && !part.match) ||
                     (behavior == Behavior::contiguous && part.match == previous));
    if (join)
      out.back().end = span.end;
    else if (behavior != Behavior::removed || !part.match)
      out.push_back(span);
    previous = part.match;
    have = true;
  }
}

using Finder = std::function<std::vector<ByteSpan>(std::string_view)>;

class Split : public PreTokenizer {
 public:
  Split(Finder find, Behavior behavior, bool invert = false)
      : find_(std::move(find)), behavior_(behavior), invert_(invert) {}
  void apply(Pieces& pieces) const override {
    std::vector<ByteSpan> out;
    for (const ByteSpan& piece : pieces.spans) {
      const int64_t size = piece.end - piece.begin;
      const auto text = std::string_view(pieces.text.text).substr(piece.begin, size);
      emit_parts(with_gaps(find_(text), size, invert_), behavior_, piece.begin, out);
    }
    pieces.spans = std::move(out);
  }

 private:
  Finder find_;
  Behavior behavior_;
  bool invert_;
};

/// Each character of a class as a match of its own.
Finder each_char(std::function<bool(char32_t)> holds) {
  return [holds = std::move(holds)](std::string_view text) {
    std::vector<ByteSpan> found;
    for (size_t at = 0; at < text.size();) {
      const Decoded c = decode_at(text, at);
      if (holds(c.code)) found.push_back({int64_t(at), int64_t(at + c.size)});
      at += c.size;
    }
    return found;
  };
}

bool is_space(char32_t c) {
  return char_class(c) & kSpace;
}
bool is_punctuation(char32_t c) {
  return c < 0x80 ? (char_class(c) & (kPunctuation | kSymbol)) : (char_class(c) & kPunctuation);
}

size_t scan_words(std::string_view text, size_t at) {
  auto kind = [&](size_t i) {
    const uint16_t bits = char_class(decode_at(text, i).code);
    return bits & kWord ? 1 : bits & kSpace ? 0 : 2;
  };
  const int first = kind(at);
  while (first && at < text.size() && kind(at) == first) at += decode_at(text, at).size;
  return at;
}

class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(const Fields& json, bool lazy)
      : prefix_(field_or(json, "add_prefix_space", true)),
        regex_(field_or(json, "use_regex", true)),
        lazy_(lazy) {}
  void apply(Pieces& pieces) const override {
    if (prefix_) add_prefix(pieces);
    if (regex_)
      Split([](std::string_view text) { return scan_all(scan_gpt2, text); }, Behavior::isolated)
          .apply(pieces);
    if (!lazy_) alias(pieces);
  }

 private:
  void add_prefix(Pieces& pieces) const {
    const auto& text = pieces.text.text;
    bool all = true;
    for (const ByteSpan& p : pieces.spans) all = all && text[p.begin] == ' ';
    if (all) return;
    Rewriter out(pieces.text);
    for (ByteSpan& piece : pieces.spans) {
      const ByteSpan old = piece;
      piece.begin = out.size();
      if (text[old.begin] != ' ') out.put(" ", old.begin, old.begin);
      out.keep(old.begin, old.end);
      piece.end = out.size();
    }
    out.finish();
  }
  void alias(Pieces& pieces) const {
    Rewriter out(pieces.text);
    for (ByteSpan& piece : pieces.spans) {
      const ByteSpan old = piece;
      piece.begin = out.size();
      for (int64_t i = old.begin; i < old.end; ++i)
        out.put(to_byte_aliases({&pieces.text.text[i], 1}), i, i + 1);
      piece.end = out.size();
    }
    out.finish();
  }
  bool prefix_, regex_, lazy_;
};

class Metaspace : public PreTokenizer {
 public:
  explicit Metaspace(const Fields& json)
      : mark_(field_or<std::string>(json, "replacement", "\xE2\x96\x81")),
        scheme_(field_or<std::string>(json, "prepend_scheme", "always")),
        split_(field_or(json, "split", true)) {
    HONE_CHECK(scheme_ == "first" || scheme_ == "never" || scheme_ == "always",
               "tokenizer: Metaspace: unknown prepend_scheme '{}'", scheme_);
  }
  void apply(Pieces& pieces) const override {
    Rewriter out(pieces.text);
    const auto& text = pieces.text.text;
    for (ByteSpan& piece : pieces.spans) {
      const ByteSpan old = piece;
      piece.begin = out.size();
      const bool marked =
          text[old.begin] == ' ' || std::string_view(text).substr(old.begin).starts_with(mark_);
      const bool first = pieces.text.source(old.begin, old.begin).begin == 0;
      if (!marked && (scheme_ == "always" || (scheme_ == "first" && first)))
        out.put(mark_, old.begin, old.begin);
      for (int64_t i = old.begin; i < old.end; ++i)
        text[i] == ' ' ? out.put(mark_, i, i + 1) : out.keep(i, i + 1);
      piece.end = out.size();
    }
    out.finish();
    if (split_)
      Split(Pattern(Fields{{"String", mark_}}).find_all_of(), Behavior::with_next).apply(pieces);
  }

 private:
  std::string mark_, scheme_;
  bool split_;
};

/// Script runs; spaces join the run before them, leading ones none, and kana counts as Han.
std::vector<ByteSpan> script_runs(std::string_view text) {
  constexpr int kAny = -1;
  std::vector<ByteSpan> runs;
  int last = kAny;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = decode_at(text, at);
    UErrorCode status = U_ZERO_ERROR;
    int script = c.code == ' ' ? kAny : uscript_getScript(c.code, &status);
    if (script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA || c.code == 0x30FC)
      script = USCRIPT_HAN;
    if (script != kAny && script != last) runs.push_back({int64_t(at), 0});
    if (script != kAny) last = script;
    at += c.size;
    if (!runs.empty()) runs.back().end = at;
  }
  return runs;
}

Finder fixed_length(int64_t length) {
  HONE_CHECK(length > 0, "tokenizer: FixedLength: length must be > 0, not {}", length);
  return [length](std::string_view text) {
    std::vector<ByteSpan> found;
    size_t at = 0;
    for (int64_t count = 0; at < text.size(); ++count) {
      if (count % length == 0) found.push_back({int64_t(at), 0});
      at += decode_at(text, at).size;
      found.back().end = at;
    }
    return found;
  };
}

std::unique_ptr<PreTokenizer> make_split(const Fields& json) {
  HONE_CHECK(json.contains("pattern"), "tokenizer: Split: field 'pattern' is missing");
  return std::make_unique<Split>(Pattern(json["pattern"]).find_all_of(),
                                 parse_behavior(field<std::string>(json, "behavior")),
                                 field_or(json, "invert", false));
}

std::unique_ptr<PreTokenizer> make_by_class(const std::string& type, const Fields& json) {
  const auto split = [](Finder find, Behavior behavior, bool invert = false) {
    return std::make_unique<Split>(std::move(find), behavior, invert);
  };
  if (type == "WhitespaceSplit") return split(each_char(is_space), Behavior::removed);
  if (type == "Whitespace")
    return split([](std::string_view text) { return scan_all(scan_words, text); },
                 Behavior::removed, true);
  if (type == "Punctuation")
    return split(each_char(is_punctuation),
                 parse_behavior(field_or<std::string>(json, "behavior", "Isolated")));
  if (type == "Digits")
    return split(
        each_char([](char32_t c) { return (char_class(c) & kNumber) != 0; }),
        field_or(json, "individual_digits", false) ? Behavior::isolated : Behavior::contiguous);
  if (type == "CharDelimiterSplit")
    return split(Pattern(Fields{{"String", field<std::string>(json, "delimiter")}}).find_all_of(),
                 Behavior::removed);
  if (type == "UnicodeScripts") return split(script_runs, Behavior::removed, true);
  if (type == "FixedLength")
    return split(fixed_length(field_or<int64_t>(json, "length", 5)), Behavior::isolated);
  fail_input("tokenizer: unknown pre-tokenizer '{}'", type);
}

void add_steps(const Fields& json, bool last, PreTokenizers& out) {
  if (json.is_null()) return;
  const auto type = field<std::string>(json, "type");
  if (type == "Sequence") {
    const Fields& list = list_field(json, "pretokenizers");
    for (size_t i = 0; i < list.size(); ++i) add_steps(list[i], last && i + 1 == list.size(), out);
  } else if (type == "ByteLevel") {
    out.byte_level = last;
    out.steps.push_back(std::make_unique<ByteLevel>(json, last));
  } else if (type == "Metaspace") {
    out.steps.push_back(std::make_unique<Metaspace>(json));
  } else if (type == "Split") {
    out.steps.push_back(make_split(json));
  } else if (type == "BertPreTokenizer") {
    out.steps.push_back(std::make_unique<Split>(each_char(is_space), Behavior::removed));
    out.steps.push_back(std::make_unique<Split>(each_char(is_punctuation), Behavior::isolated));
  } else {
    out.steps.push_back(make_by_class(type, json));
  }
}

}  // namespace

PreTokenizers make_pre_tokenizers(const Fields& json) {
  PreTokenizers out;
  add_steps(json, true, out);
  return out;
}

}  // namespace hone::text
