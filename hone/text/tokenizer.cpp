#include "hone/text/tokenizer.h"

#include <algorithm>
#include <atomic>

#include "hone/text/tokenizer_state.h"
#include "hone/text/unicode.h"
#include "hone/text/word_cache.h"

namespace hone::text {
namespace {

const Fields& section(const Fields& json, const char* key) {
  static const Fields kNone;
  const auto found = json.find(key);
  return found == json.end() ? kNone : *found;
}

bool overlaps(std::span<const ByteSpan> spans, ByteSpan place) {
  return std::any_of(spans.begin(), spans.end(), [&](const ByteSpan& span) {
    return span.begin < place.end && place.begin < span.end;
  });
}

}  // namespace

Tokenizer::State::State(const Fields& json) {
  static std::atomic<uint64_t> count{0};
  number = ++count;
  model = make_model(section(json, "model"));
  normalizers = make_normalizers(section(json, "normalizer"));
  pre_tokenizers = make_pre_tokenizers(section(json, "pre_tokenizer"));
  surround = make_surround(section(json, "post_processor"));
  decoder = make_decoder(section(json, "decoder"));
  added = parse_added_tokens(section(json, "added_tokens"));
  for (const AddedToken& token : added) {
    if (token.special) special.insert(token.id);
    added_ids.emplace(token.content, token.id);
    MappedText content{token.content, 0, {}};
    if (token.normalized) normalize(content);
    (token.normalized ? normalized_matcher : raw_matcher).add(token, content.text);
    added_texts.add(content.text, token.id);
  }
}

void Tokenizer::State::normalize(MappedText& text) const {
  for (const auto& step : normalizers) step->apply(text);
}

const std::string* Tokenizer::State::token(int32_t id) const {
  const std::string* found = added_texts.token(id);
  return found ? found : model->vocabulary().token(id);
}

void Tokenizer::State::tokenize(std::string_view piece, std::vector<Token>& out) const {
  if (!pre_tokenizers.byte_level) return model->tokenize(piece, out);
  model->tokenize(to_byte_aliases(piece), out);
  // Aliases take one byte below U+0080, else two; the tokens must name raw bytes.
  uint32_t raw = 0, alias = 0;
  auto raw_at = [&](uint32_t end) {
    for (; alias < end; ++raw) alias += byte_alias(static_cast<uint8_t>(piece[raw])) < 0x80 ? 1 : 2;
    return raw;
  };
  for (Token& token : out) {
    token.begin = raw_at(token.begin);
    token.end = raw_at(token.end);
  }
}

void Tokenizer::State::encode_plain(MappedText text, Encoding& out, bool with_offsets) const {
  if (text.text.empty()) return;
  Pieces pieces{std::move(text), {}};
  pieces.spans.push_back({0, int64_t(pieces.text.text.size())});
  for (const auto& step : pre_tokenizers.steps) step->apply(pieces);
  WordCache& cache = WordCache::of_thread();
  std::vector<Token> long_piece;
  for (const ByteSpan& span : pieces.spans) {
    const auto piece = std::string_view(pieces.text.text).substr(span.begin, span.end - span.begin);
    const std::vector<Token>* tokens = &long_piece;
    if (piece.size() > WordCache::kMaxPiece) {
      long_piece.clear();
      tokenize(piece, long_piece);
    } else {
      WordCache::Entry& entry = cache.entry(number, piece);
      if (entry.owner != number || entry.piece != piece) {
        entry.owner = 0;
        entry.tokens.clear();
        tokenize(piece, entry.tokens);
        entry.piece = piece;
        entry.owner = number;
      }
      tokens = &entry.tokens;
    }
    for (const Token& token : *tokens) out.ids.push_back(token.id);
    if (!with_offsets) continue;
    for (const Token& token : *tokens)
      out.offsets.push_back(pieces.text.source(span.begin + token.begin, span.begin + token.end));
  }
}

void Tokenizer::State::encode_part(std::string_view part, int64_t base,
                                   std::span<const ByteSpan> untrusted, Encoding& out,
                                   bool with_offsets) const {
  MappedText text{std::string(part), base, {}};
  normalize(text);
  if (normalized_matcher.empty()) return encode_plain(std::move(text), out, with_offsets);
  const auto parts =
      normalized_matcher.split(text.text, [&](const AddedToken& token, size_t begin, size_t end) {
        return !token.special || !overlaps(untrusted, text.source(begin, end));
      });
  for (const AddedPart& found : parts) {
    const ByteSpan source = text.source(found.begin, found.end);
    if (found.token) {
      out.ids.push_back(found.token->id);
      if (with_offsets) out.offsets.push_back(source);
      continue;
    }
    MappedText rest{text.text.substr(found.begin, found.end - found.begin), source.begin, {}};
    if (!text.map.empty())
      rest.map.assign(text.map.begin() + found.begin, text.map.begin() + found.end);
    encode_plain(std::move(rest), out, with_offsets);
  }
}

void Tokenizer::State::encode(std::string_view text, std::span<const ByteSpan> untrusted,
                              Encoding& out, bool with_offsets) const {
  const size_t valid = valid_utf8_prefix(text);
  HONE_CHECK(valid == text.size(), "tokenizer: the text is not UTF-8 at byte {} of {}", valid,
             text.size());
  const auto parts =
      raw_matcher.split(text, [&](const AddedToken& token, size_t begin, size_t end) {
        return !token.special || !overlaps(untrusted, {int64_t(begin), int64_t(end)});
      });
  for (const AddedPart& part : parts) {
    const ByteSpan span{int64_t(part.begin), int64_t(part.end)};
    if (!part.token) {
      encode_part(text.substr(part.begin, part.end - part.begin), span.begin, untrusted, out,
                  with_offsets);
      continue;
    }
    out.ids.push_back(part.token->id);
    if (with_offsets) out.offsets.push_back(span);
  }
}

Tokenizer::Tokenizer(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::from_json(std::string_view json, std::string_view origin) {
  Fields parsed;
  try {
    parsed = Fields::parse(json);
  } catch (const Fields::exception& error) {
    fail_input("{}: is no JSON: {}", origin, error.what());
  }
  HONE_CHECK(parsed.is_object(), "{}: must be a JSON object", origin);
  try {
    return Tokenizer(std::make_unique<const State>(parsed));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", origin, error.what()));
  }
}

Tokenizer Tokenizer::from_file(const Path& path) {
  return from_json(read_file(path), path.string());
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
  Encoding out;
  const Surround& surround = state_->surround;
  if (add_special_tokens) out.ids = surround.before;
  state_->encode(text, {}, out, false);
  if (add_special_tokens)
    out.ids.insert(out.ids.end(), surround.after.begin(), surround.after.end());
  return std::move(out.ids);
}

Encoding Tokenizer::encode_with_offsets(std::string_view text, bool add_special_tokens,
                                        std::span<const ByteSpan> untrusted) const {
  Encoding out;
  const Surround& surround = state_->surround;
  if (add_special_tokens) {
    out.ids = surround.before;
    out.offsets.resize(out.ids.size());
  }
  state_->encode(text, untrusted, out, true);
  if (add_special_tokens) {
    out.ids.insert(out.ids.end(), surround.after.begin(), surround.after.end());
    out.offsets.resize(out.ids.size(), {int64_t(text.size()), int64_t(text.size())});
  }
  return out;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    const std::string* token = state_->token(id);
    if (token && !(skip_special_tokens && is_special(id))) tokens.push_back(*token);
  }
  return state_->decoder.decode(std::move(tokens));
}

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  const auto added = state_->added_ids.find(token);
  if (added != state_->added_ids.end()) return added->second;
  return state_->model->vocabulary().find(token);
}

std::string Tokenizer::id_to_token(int32_t id) const {
  const std::string* token = state_->token(id);
  HONE_CHECK(token, "tokenizer: id {} is no token (the vocabulary holds {})", id,
             vocabulary_size());
  return *token;
}

bool Tokenizer::is_special(int32_t id) const {
  return state_->special.contains(id);
}

int32_t Tokenizer::vocabulary_size() const {
  return std::max(state_->model->vocabulary().size(), state_->added_texts.size());
}

}  // namespace hone::text
