#include "hone/text/pre_tokenizers.h"

#include "hone/base/check.h"
#include "hone/text/pcre.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

/// The split of GPT-2: contractions, then " ?letters", " ?numbers", " ?others", white space, of
/// which the last character before a word goes with the word if it is a blank.
class Gpt2Splitter : public PreTokenizer {
 public:
  void split(std::string_view text, ByteSpan piece, std::vector<ByteSpan>& out) const override {
    const std::string_view part = text.substr(0, piece.end);
    for (int64_t i = piece.begin; i < piece.end;) {
      const int64_t end = next(part, i);
      out.push_back({i, end});
      i = end;
    }
  }

 private:
  enum class Kind { letter, number, space, other };

  static Kind kind_of(char32_t value) {
    if (is_letter(value)) return Kind::letter;
    if (is_number(value)) return Kind::number;
    return is_white_space(value) ? Kind::space : Kind::other;
  }

  /// The end of the run of one kind from `i`, and the start of its last character.
  struct RunEnd {
    int64_t end = 0, last = 0;
  };
  static RunEnd run(std::string_view text, int64_t i, Kind kind) {
    RunEnd result{i, i};
    while (result.end < static_cast<int64_t>(text.size())) {
      const CodePoint point = code_point_at(text, result.end);
      if (kind_of(point.value) != kind) break;
      result.last = result.end;
      result.end += point.size;
    }
    return result;
  }

  static int64_t next(std::string_view text, int64_t i) {
    const std::string_view rest = text.substr(i);
    for (const char* contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
      if (rest.starts_with(contraction)) return i + std::string_view(contraction).size();
    }
    const bool blank = rest[0] == ' ';
    if (blank && rest.size() > 1) {
      const Kind kind = kind_of(code_point_at(text, i + 1).value);
      if (kind != Kind::space) return run(text, i + 1, kind).end;
    }
    const Kind kind = kind_of(code_point_at(text, i).value);
    const RunEnd found = run(text, i, kind);
    const bool at_end = found.end == static_cast<int64_t>(text.size());
    return kind == Kind::space && !at_end && found.last > i ? found.last : found.end;
  }
};

class DigitSplitter : public PreTokenizer {
 public:
  explicit DigitSplitter(bool individual) : individual_(individual) {}

  void split(std::string_view text, ByteSpan piece, std::vector<ByteSpan>& out) const override {
    int64_t begin = piece.begin;
    bool in_digits = false;
    for (int64_t i = piece.begin; i < piece.end;) {
      const CodePoint point = code_point_at(text, i);
      const bool digit = is_number(point.value);
      if (i > begin && (digit != in_digits || (digit && individual_))) {
        out.push_back({begin, i});
        begin = i;
      }
      in_digits = digit;
      i += point.size;
    }
    if (begin < piece.end) out.push_back({begin, piece.end});
  }

 private:
  bool individual_;
};

enum class Behavior { removed, isolated };

/// Split with a regular expression.
class PatternSplitter : public PreTokenizer {
 public:
  PatternSplitter(std::string_view pattern, Behavior behavior, bool invert)
      : pattern_(pattern), behavior_(behavior), invert_(invert) {}

  void split(std::string_view text, ByteSpan piece, std::vector<ByteSpan>& out) const override {
    int64_t begin = piece.begin;
    const auto put = [&](int64_t from, int64_t to, bool match) {
      if (from < to && (match == invert_ || behavior_ == Behavior::isolated)) {
        out.push_back({from, to});
      }
    };
    const std::string_view part = text.substr(piece.begin, piece.end - piece.begin);
    pattern_.for_each_match(part, [&](ByteSpan match) {
      put(begin, piece.begin + match.begin, false);
      put(piece.begin + match.begin, piece.begin + match.end, true);
      begin = piece.begin + match.end;
    });
    put(begin, piece.end, false);
  }

 private:
  Pattern pattern_;
  Behavior behavior_;
  bool invert_;
};

void add_split(const Json& json, PreTokenizers& result) {
  const Json& pattern = json.at("pattern");
  const std::string behavior = json.value("behavior", "");
  HONE_CHECK(behavior == "Removed" || behavior == "Isolated",
             "tokenizer.json: Split behavior '{}' is not supported; known are Removed and Isolated",
             behavior);
  const std::string text = pattern.contains("Regex")
                               ? pattern["Regex"].get<std::string>()
                               : quote_pattern(pattern.at("String").get<std::string>());
  result.stages.push_back(std::make_unique<PatternSplitter>(
      text, behavior == "Removed" ? Behavior::removed : Behavior::isolated,
      json.value("invert", false)));
}

void add_stage(const Json& json, PreTokenizers& result) {
  const std::string type = json.value("type", "");
  if (type == "Sequence") {
    for (const auto& stage : json.at("pretokenizers")) add_stage(stage, result);
  } else if (type == "ByteLevel") {
    HONE_CHECK(!json.value("add_prefix_space", true),
               "tokenizer.json: ByteLevel with add_prefix_space is not supported");
    if (json.value("use_regex", true)) result.stages.push_back(std::make_unique<Gpt2Splitter>());
    result.byte_level = true;
  } else if (type == "Digits") {
    result.stages.push_back(
        std::make_unique<DigitSplitter>(json.value("individual_digits", false)));
  } else if (type == "Split") {
    add_split(json, result);
  } else {
    fail_input(
        "tokenizer.json: pre-tokenizer '{}' is not supported; known are Sequence, "
        "ByteLevel, Digits and Split",
        type);
  }
}

}  // namespace

PreTokenizers parse_pre_tokenizers(const Json& json) {
  PreTokenizers result;
  if (!json.is_null()) add_stage(json, result);
  return result;
}

}  // namespace hone::text
