#include "hone/text/tokenizer.h"

#include <algorithm>

#include "hone/base/check.h"
#include "hone/base/json.h"
#include "hone/text/added_tokens.h"
#include "hone/text/bpe.h"
#include "hone/text/pre_tokenizers.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

/// Ids that the post-processor puts before and after a text.
struct Frame {
  std::vector<int32_t> before, after;
};

Frame parse_template(const Json& json) {
  Frame frame;
  bool seen = false;
  for (const auto& item : json.at("single")) {
    if (item.contains("Sequence")) {
      seen = true;
      continue;
    }
    const auto name = item.at("SpecialToken").at("id").get<std::string>();
    const auto ids = json.at("special_tokens").at(name).at("ids").get<std::vector<int32_t>>();
    auto& side = seen ? frame.after : frame.before;
    side.insert(side.end(), ids.begin(), ids.end());
  }
  return frame;
}

Frame parse_post_processor(const Json& json) {
  if (json.is_null()) return {};
  const std::string type = json.value("type", "");
  if (type == "TemplateProcessing") return parse_template(json);
  if (type == "ByteLevel") return {};
  HONE_CHECK(type == "Sequence",
             "tokenizer.json: post-processor '{}' is not supported; known are TemplateProcessing, "
             "ByteLevel and Sequence",
             type);
  Frame frame;
  for (const auto& part : json.at("processors")) {
    const Frame inner = parse_post_processor(part);
    frame.before.insert(frame.before.begin(), inner.before.begin(), inner.before.end());
    frame.after.insert(frame.after.end(), inner.after.begin(), inner.after.end());
  }
  return frame;
}

void require_byte_level_decoder(const Json& json) {
  const std::string type = json.is_null() ? "null" : json.value("type", "");
  HONE_CHECK(type == "ByteLevel",
             "tokenizer.json: decoder '{}' is not supported; known is ByteLevel", type);
}

}  // namespace

struct Tokenizer::State {
  explicit State(const Json& json)
      : added(json.value("added_tokens", Json::array())),
        pre_tokenizers(parse_pre_tokenizers(json.value("pre_tokenizer", Json()))),
        model(json.at("model")),
        frame(parse_post_processor(json.value("post_processor", Json()))) {
    for (const auto& [token, id] : model.vocabulary()) put(id, token, false);
    for (const auto& token : added.tokens()) put(token.id, token.content, token.special);
  }

  void put(int32_t id, const std::string& token, bool is_special) {
    HONE_CHECK(id >= 0 && id < (1 << 24), "tokenizer.json: token '{}' has id {}", token, id);
    if (static_cast<size_t>(id) >= tokens.size()) {
      tokens.resize(id + 1);
      special.resize(id + 1);
    }
    tokens[id] = token;
    special[id] = is_special;
    ids[token] = id;
  }

  /// Encodes text[piece], which holds no added token.
  void encode_plain(std::string_view text, ByteSpan piece, Encoding& out) const {
    std::vector<ByteSpan> pieces{piece}, next;
    for (const auto& stage : pre_tokenizers.stages) {
      next.clear();
      for (ByteSpan part : pieces) stage->split(text, part, next);
      pieces.swap(next);
    }
    for (ByteSpan part : pieces) encode_piece(text, part, out);
  }

  void encode_piece(std::string_view text, ByteSpan piece, Encoding& out) const {
    std::string symbols;
    std::vector<int64_t> lengths;
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      symbols += byte_symbol(static_cast<uint8_t>(text[i]));
    }
    model.encode(symbols, out.ids, lengths);
    // A symbol of one or two bytes stands for one byte of the text.
    int64_t offset = piece.begin, symbol = 0;
    for (int64_t length : lengths) {
      const int64_t begin = offset;
      for (const int64_t end = symbol + length; symbol < end;) {
        symbol += code_point_at(symbols, symbol).size;
        ++offset;
      }
      out.offsets.push_back({begin, offset});
    }
  }

  AddedTokens added;
  PreTokenizers pre_tokenizers;
  Bpe model;
  Frame frame;
  std::vector<std::string> tokens;
  std::vector<uint8_t> special;
  std::unordered_map<std::string, int32_t> ids;
};

Tokenizer::Tokenizer(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::from_json(std::string_view text, std::string_view origin) {
  const Json json = parse_json(text, origin);
  HONE_CHECK(json.is_object() && json.contains("model"), "{}: must be an object with a 'model'",
             origin);
  HONE_CHECK(json.value("normalizer", Json()).is_null(),
             "{}: normalizer '{}' is not supported yet; the text would be encoded otherwise",
             origin, json["normalizer"].value("type", ""));
  const std::string type = json["model"].value("type", "BPE");
  HONE_CHECK(type == "BPE", "{}: model '{}' is not supported; known is BPE", origin, type);
  require_byte_level_decoder(json.value("decoder", Json()));
  try {
    auto state = std::make_unique<State>(json);
    HONE_CHECK(state->pre_tokenizers.byte_level,
               "{}: a BPE model without a ByteLevel pre-tokenizer is not supported", origin);
    return Tokenizer(std::move(state));
  } catch (const nlohmann::json::exception& error) {
    fail_input("{}: {}", origin, error.what());
  }
}

Tokenizer Tokenizer::from_file(const Path& path) {
  return from_json(MappedFile(path).bytes(), path.string());
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
  return encode_with_offsets(text, add_special_tokens).ids;
}

Encoding Tokenizer::encode_with_offsets(std::string_view text, bool add_special_tokens,
                                        std::span<const ByteSpan> untrusted) const {
  const int64_t invalid = find_invalid_utf8(text);
  HONE_CHECK(invalid < 0, "the text is not UTF-8 at byte {}", invalid);
  Encoding out;
  const auto add_frame = [&](const std::vector<int32_t>& ids, int64_t place) {
    if (!add_special_tokens) return;
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    out.offsets.insert(out.offsets.end(), ids.size(), {place, place});
  };
  const auto size = static_cast<int64_t>(text.size());
  add_frame(state_->frame.before, 0);
  int64_t begin = 0;
  for (const AddedMatch& match : state_->added.find(text, untrusted)) {
    if (begin < match.span.begin) state_->encode_plain(text, {begin, match.span.begin}, out);
    out.ids.push_back(match.token->id);
    out.offsets.push_back(match.span);
    begin = match.span.end;
  }
  if (begin < size) state_->encode_plain(text, {begin, size}, out);
  add_frame(state_->frame.after, size);
  return out;
}

std::string Tokenizer::id_to_token(int32_t id) const {
  HONE_CHECK(id >= 0 && id < vocabulary_size(), "token id {} is not in [0, {})", id,
             vocabulary_size());
  return state_->tokens[id];
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  std::string symbols;
  for (int32_t id : ids) {
    const std::string token = id_to_token(id);
    if (!(skip_special_tokens && state_->special[id])) symbols += token;
  }
  std::string bytes;
  for (int64_t i = 0; i < static_cast<int64_t>(symbols.size());) {
    const CodePoint point = code_point_at(symbols, i);
    const int byte = symbol_byte(point.value);
    if (byte >= 0) {
      bytes += static_cast<char>(byte);
    } else {
      bytes += symbols.substr(i, point.size);
    }
    i += point.size;
  }
  return replace_invalid_utf8(bytes);
}

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  const auto found = state_->ids.find(std::string(token));
  return found == state_->ids.end() ? std::nullopt : std::optional(found->second);
}

bool Tokenizer::is_special(int32_t id) const {
  return id >= 0 && id < vocabulary_size() && state_->special[id];
}

int32_t Tokenizer::vocabulary_size() const {
  return static_cast<int32_t>(state_->tokens.size());
}

}  // namespace hone::text
