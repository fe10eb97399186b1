#include "hone/text/decoders.h"

#include <algorithm>
#include <functional>

#include "hone/text/pattern.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

using Tokens = std::vector<std::string>;

class Step : public DecoderStep {
 public:
  explicit Step(std::function<void(Tokens&)> run) : run_(std::move(run)) {}
  void apply(Tokens& tokens) const override { run_(tokens); }

 private:
  std::function<void(Tokens&)> run_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// English tokenisation artefacts.
void clean_up(std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kPairs) replace_all(text, from, to);
}

std::string join(const Tokens& tokens) {
  std::string out;
  for (const auto& token : tokens) out += token;
  return out;
}

void byte_level(Tokens& tokens) {
  std::string bytes;
  for (const auto& token : tokens) bytes += byte_level_bytes(token);
  tokens = {utf8_lossy(bytes)};
}

void byte_fallback(Tokens& tokens) {
  Tokens out;
  std::string run;
  auto flush = [&] {
    if (run.empty()) return;
    if (valid_utf8_prefix(run) == run.size())
      out.push_back(run);
    else
      out.insert(out.end(), run.size(), "\xEF\xBF\xBD");
    run.clear();
  };
  for (auto& token : tokens) {
    const int byte = byte_of_token(token);
    if (byte >= 0) {
      run.push_back(static_cast<char>(byte));
      continue;
    }
    flush();
    out.push_back(std::move(token));
  }
  flush();
  tokens = std::move(out);
}

std::function<void(Tokens&)> word_piece(const Fields& json) {
  return [prefix = field<std::string>(json, "prefix"),
          cleanup = field<bool>(json, "cleanup")](Tokens& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i && tokens[i].starts_with(prefix))
        tokens[i].erase(0, prefix.size());
      else if (i)
        tokens[i].insert(tokens[i].begin(), ' ');
      if (cleanup) clean_up(tokens[i]);
    }
  };
}

std::function<void(Tokens&)> bpe(const Fields& json) {
  return [suffix = field<std::string>(json, "suffix")](Tokens& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i)
      replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
  };
}

std::function<void(Tokens&)> metaspace(const Fields& json) {
  return
      [mark = field<std::string>(json, "replacement"),
       drop = field_or<std::string>(json, "prepend_scheme", "always") != "never"](Tokens& tokens) {
        for (size_t i = 0; i < tokens.size(); ++i)
          replace_all(tokens[i], mark, i == 0 && drop ? "" : " ");
      };
}

std::function<void(Tokens&)> ctc(const Fields& json) {
  return [pad = field<std::string>(json, "pad_token"),
          delimiter = field<std::string>(json, "word_delimiter_token"),
          cleanup = field<bool>(json, "cleanup")](Tokens& tokens) {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (auto& token : tokens) {
      replace_all(token, pad, "");
      if (!cleanup) continue;
      clean_up(token);
      replace_all(token, delimiter, " ");
    }
    std::erase(tokens, "");
  };
}

std::function<void(Tokens&)> replace(const Fields& json) {
  HONE_CHECK(json.contains("pattern"), "tokenizer: Replace: field 'pattern' is missing");
  return [pattern = Pattern(json["pattern"]),
          content = field<std::string>(json, "content")](Tokens& tokens) {
    for (auto& token : tokens) {
      std::string out;
      size_t at = 0;
      for (const ByteSpan& match : pattern.find_all(token)) {
        out.append(token, at, match.begin - at).append(content);
        at = match.end;
      }
      token = out.append(token, at);
    }
  };
}

std::function<void(Tokens&)> strip(const Fields& json) {
  return [content = field<std::string>(json, "content"), start = field<size_t>(json, "start"),
          stop = field<size_t>(json, "stop")](Tokens& tokens) {
    for (auto& token : tokens) {
      for (size_t i = 0; i < start && token.starts_with(content); ++i)
        token.erase(0, content.size());
      for (size_t i = 0; i < stop && token.ends_with(content); ++i)
        token.resize(token.size() - content.size());
    }
  };
}

std::function<void(Tokens&)> make_step(const std::string& type, const Fields& json) {
  if (type == "ByteLevel") return byte_level;
  if (type == "ByteFallback") return byte_fallback;
  if (type == "Fuse") return [](Tokens& tokens) { tokens = {join(tokens)}; };
  if (type == "WordPiece") return word_piece(json);
  if (type == "BPEDecoder") return bpe(json);
  if (type == "Metaspace") return metaspace(json);
  if (type == "CTC") return ctc(json);
  if (type == "Replace") return replace(json);
  if (type == "Strip") return strip(json);
  fail_input("tokenizer: unknown decoder '{}'", type);
}

void add_steps(const Fields& json, Decoder& out, bool& fused) {
  if (json.is_null()) return;
  const auto type = field<std::string>(json, "type");
  if (type == "Sequence") {
    for (const Fields& step : list_field(json, "decoders")) add_steps(step, out, fused);
    return;
  }
  // After tokens were joined, or where the end of a token decides, earlier text may still change.
  const bool unstable = (type == "Strip" && fused && field<size_t>(json, "stop") > 0) ||
                        (fused && type != "Strip" && type != "Fuse") ||
                        (type == "ByteLevel" && !out.steps.empty());
  if (unstable) out.holdback = Holdback::everything;
  if (type == "ByteFallback" && out.holdback == Holdback::none)
    out.holdback = Holdback::byte_tokens;
  if (type == "ByteLevel" && out.steps.empty())
    out.holdback = Holdback::utf8;
  else if (out.holdback == Holdback::utf8)
    out.holdback = Holdback::everything;
  fused = fused || type == "Fuse" || type == "ByteLevel";
  out.steps.push_back(std::make_unique<Step>(make_step(type, json)));
}

}  // namespace

std::string Decoder::decode(std::vector<std::string> tokens) const {
  if (!steps.empty()) {
    for (const auto& step : steps) step->apply(tokens);
    return join(tokens);
  }
  return fmt::to_string(fmt::join(tokens, " "));
}

Decoder make_decoder(const Fields& json) {
  Decoder decoder;
  bool fused = false;
  add_steps(json, decoder, fused);
  return decoder;
}

int byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  int value = 0;
  for (const char c : token.substr(3, 2)) {
    const int lower = c | 32;
    if (!((c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f'))) return -1;
    value = 16 * value + (c <= '9' ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

std::string byte_level_bytes(const std::string& token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const Decoded c = decode_at(token, at);
    const int byte = alias_byte(c.code);
    if (byte < 0) return token;
    bytes.push_back(static_cast<char>(byte));
    at += c.size;
  }
  return bytes;
}

}  // namespace hone::text
