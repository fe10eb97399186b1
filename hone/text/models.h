#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/text/json_fields.h"

namespace hone::text {

/// A token and its bytes [begin, end) of the piece.
struct Token {
  int32_t id = 0;
  uint32_t begin = 0, end = 0;
};

/// Lets maps of strings be searched with views.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

/// Token text to id and back.
class Vocabulary {
 public:
  void add(std::string token, int32_t id);
  std::optional<int32_t> find(std::string_view token) const;
  /// The token of `id`, or null.
  const std::string* token(int32_t id) const;
  /// One more than the largest id.
  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }

 private:
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> ids_;
  std::vector<const std::string*> tokens_;
};

/// The object `vocab` of a model: token to id.
Vocabulary parse_vocabulary(const Fields& model);

/// The ids of <0x00> to <0xFF>, -1 where missing.
std::vector<int32_t> byte_token_ids(const Vocabulary& vocabulary);

/// Cuts one piece into tokens.
class Model {
 public:
  virtual ~Model() = default;
  virtual void tokenize(std::string_view piece, std::vector<Token>& out) const = 0;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  Vocabulary vocabulary_;
};

/// Byte-pair encoding: merges by rank.
std::unique_ptr<Model> make_bpe(const Fields& json);
/// The most probable segmentation (Kudo 2018, arXiv:1804.10959), by Viterbi.
std::unique_ptr<Model> make_unigram(const Fields& json);
/// Longest match first, from the left.
std::unique_ptr<Model> make_wordpiece(const Fields& json);
/// Whole pieces only.
std::unique_ptr<Model> make_word_level(const Fields& json);
/// The model of the `model` section; an unknown type is an input error naming it.
std::unique_ptr<Model> make_model(const Fields& json);

}  // namespace hone::text
