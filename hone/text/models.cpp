#include "hone/text/models.h"

#include "hone/text/unicode.h"

namespace hone::text {

void Vocabulary::add(std::string token, int32_t id) {
  HONE_CHECK(id >= 0 && id < (1 << 28), "tokenizer: id {} of token '{}' is out of range", id,
             token);
  const auto place = ids_.insert_or_assign(std::move(token), id).first;
  if (id >= size()) tokens_.resize(id + 1);
  tokens_[id] = &place->first;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

const std::string* Vocabulary::token(int32_t id) const {
  return id >= 0 && id < size() ? tokens_[id] : nullptr;
}

Vocabulary parse_vocabulary(const Fields& model) {
  HONE_CHECK(model.contains("vocab") && model["vocab"].is_object(),
             "tokenizer: field 'vocab' of the model must be an object of token: id");
  Vocabulary vocabulary;
  for (const auto& [token, id] : model["vocab"].items()) {
    HONE_CHECK(id.is_number_integer(), "tokenizer: the id of token '{}' must be an integer, not {}",
               token, id.dump());
    vocabulary.add(token, id.get<int32_t>());
  }
  return vocabulary;
}

std::vector<int32_t> byte_token_ids(const Vocabulary& vocabulary) {
  std::vector<int32_t> ids;
  for (int byte = 0; byte < 256; ++byte)
    ids.push_back(vocabulary.find(fmt::format("<0x{:02X}>", byte)).value_or(-1));
  return ids;
}

namespace {

class WordLevel : public Model {
 public:
  explicit WordLevel(const Fields& json) {
    vocabulary_ = parse_vocabulary(json);
    unknown_ = vocabulary_.find(field<std::string>(json, "unk_token"));
  }
  void tokenize(std::string_view piece, std::vector<Token>& out) const override {
    auto id = vocabulary_.find(piece);
    if (!id) id = unknown_;
    HONE_CHECK(id, "tokenizer: WordLevel: '{}' is not in the vocabulary, nor is unk_token", piece);
    out.push_back({*id, 0, static_cast<uint32_t>(piece.size())});
  }

 private:
  std::optional<int32_t> unknown_;
};

class WordPiece : public Model {
 public:
  explicit WordPiece(const Fields& json)
      : prefix_(field<std::string>(json, "continuing_subword_prefix")),
        most_chars_(field<size_t>(json, "max_input_chars_per_word")) {
    vocabulary_ = parse_vocabulary(json);
    const auto unknown = field<std::string>(json, "unk_token");
    const auto id = vocabulary_.find(unknown);
    HONE_CHECK(id, "tokenizer: WordPiece: unk_token '{}' is not in the vocabulary", unknown);
    unknown_ = *id;
  }
  void tokenize(std::string_view piece, std::vector<Token>& out) const override {
    const size_t first = out.size();
    bool known = count_chars(piece) <= most_chars_;
    for (size_t at = 0; known && at < piece.size();) {
      known = longest(piece, at, out);
      if (known) at = out.back().end;
    }
    if (known) return;
    out.resize(first);
    out.push_back({unknown_, 0, static_cast<uint32_t>(piece.size())});
  }

 private:
  bool longest(std::string_view piece, size_t at, std::vector<Token>& out) const {
    for (size_t end = piece.size(); end > at; end -= decode_before(piece, end).size) {
      std::string candidate = at ? prefix_ : "";
      candidate.append(piece.substr(at, end - at));
      if (const auto id = vocabulary_.find(candidate)) {
        out.push_back({*id, static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
        return true;
      }
    }
    return false;
  }
  std::string prefix_;
  size_t most_chars_;
  int32_t unknown_;
};

}  // namespace

std::unique_ptr<Model> make_word_level(const Fields& json) {
  return std::make_unique<WordLevel>(json);
}

std::unique_ptr<Model> make_wordpiece(const Fields& json) {
  return std::make_unique<WordPiece>(json);
}

std::unique_ptr<Model> make_model(const Fields& json) {
  HONE_CHECK(json.is_object(), "tokenizer: field 'model' must be an object");
  const auto type = field<std::string>(json, "type");
  if (type == "BPE") return make_bpe(json);
  if (type == "Unigram") return make_unigram(json);
  if (type == "WordPiece") return make_wordpiece(json);
  if (type == "WordLevel") return make_word_level(json);
  fail_input("tokenizer: unknown model '{}'", type);
}

}  // namespace hone::text
