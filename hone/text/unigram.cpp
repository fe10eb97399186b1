#include <algorithm>
#include <limits>

#include "hone/text/flat_map.h"
#include "hone/text/models.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

constexpr double kUnknownPenalty = 10.0;

/// Bytes to nodes; a node may end a token.
class Trie {
 public:
  void insert(std::string_view token, int32_t id) {
    int32_t node = 0;
    for (const char c : token) {
      if (const int32_t* next = edges_.find(edge(node, c))) {
        node = *next;
        continue;
      }
      edges_.insert(edge(node, c), static_cast<int32_t>(ids_.size()));
      node = static_cast<int32_t>(ids_.size());
      ids_.push_back(-1);
    }
    ids_[node] = id;
  }
  /// Calls visit(length, id) for each token that `text` begins with.
  template <typename Visit>
  void prefixes(std::string_view text, Visit visit) const {
    int32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const int32_t* next = edges_.find(edge(node, text[i]));
      if (!next) return;
      node = *next;
      if (ids_[node] >= 0) visit(i + 1, ids_[node]);
    }
  }

 private:
  static uint64_t edge(int32_t node, char c) {
    return uint64_t(node) << 8 | static_cast<uint8_t>(c);
  }
  FlatMap<int32_t> edges_;
  std::vector<int32_t> ids_{-1};
};

constexpr int32_t kUnknown = -1;

class Unigram : public Model {
 public:
  explicit Unigram(const Fields& json) {
    const Fields& vocab = list_field(json, "vocab");
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < vocab.size(); ++i) {
      const Fields& entry = vocab[i];
      HONE_CHECK(
          entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number(),
          "tokenizer: Unigram: entry {} of vocab must be [piece, score], not {}", i, entry.dump());
      vocabulary_.add(entry[0].get<std::string>(), static_cast<int32_t>(i));
      trie_.insert(entry[0].get<std::string>(), static_cast<int32_t>(i));
      scores_.push_back(entry[1].get<double>());
      least = std::min(least, scores_.back());
    }
    unknown_score_ = least - kUnknownPenalty;
    unknown_ = field_or<int32_t>(json, "unk_id", kUnknown);
    HONE_CHECK(unknown_ >= kUnknown && unknown_ < vocabulary_.size(),
               "tokenizer: Unigram: unk_id {} is not in the vocabulary", unknown_);
    if (field_or(json, "byte_fallback", false)) byte_ids_ = byte_token_ids(vocabulary_);
  }

  void tokenize(std::string_view piece, std::vector<Token>& out) const override {
    std::vector<Token> path = best_path(piece);
    for (size_t i = 0; i < path.size(); ++i) {
      Token token = path[i];
      const bool unknown = token.id == unknown_;
      while (unknown && i + 1 < path.size() && path[i + 1].id == unknown_)
        token.end = path[++i].end;
      push(piece, token, out);
    }
  }

 private:
  struct Best {
    double score = 0;
    int64_t from = -1;
    int32_t id = kUnknown;
  };

  std::vector<Token> best_path(std::string_view piece) const {
    std::vector<Best> best(piece.size() + 1);
    for (size_t at = 0; at < piece.size();) {
      const double so_far = best[at].score;
      const uint32_t char_size = decode_at(piece, at).size;
      bool single = false;
      auto offer = [&](size_t length, int32_t id, double score) {
        Best& target = best[at + length];
        if (target.from < 0 || so_far + score > target.score)
          target = {so_far + score, static_cast<int64_t>(at), id};
      };
      trie_.prefixes(piece.substr(at), [&](size_t length, int32_t id) {
        offer(length, id, scores_[id]);
        single = single || length == char_size;
      });
      if (!single) {
        HONE_CHECK(unknown_ != kUnknown,
                   "tokenizer: Unigram: '{}' is not in the vocabulary and unk_id is missing",
                   piece.substr(at, char_size));
        offer(char_size, unknown_, unknown_score_);
      }
      at += char_size;
    }
    std::vector<Token> path;
    for (int64_t end = piece.size(); end > 0; end = best[end].from)
      path.push_back({best[end].id, uint32_t(best[end].from), uint32_t(end)});
    std::reverse(path.begin(), path.end());
    return path;
  }

  void push(std::string_view piece, Token token, std::vector<Token>& out) const {
    const auto text = piece.substr(token.begin, token.end - token.begin);
    // Neighbouring unknown characters are fused first; together they may spell a token.
    if (const auto id = vocabulary_.find(text)) {
      out.push_back({*id, token.begin, token.end});
      return;
    }
    const bool bytes = !byte_ids_.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
      return byte_ids_[static_cast<uint8_t>(c)] >= 0;
    });
    if (!bytes) {
      out.push_back(token);
      return;
    }
    for (uint32_t i = token.begin; i < token.end; ++i)
      out.push_back({byte_ids_[static_cast<uint8_t>(piece[i])], i, i + 1});
  }

  Trie trie_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  int32_t unknown_ = kUnknown;
  std::vector<int32_t> byte_ids_;
};

}  // namespace

std::unique_ptr<Model> make_unigram(const Fields& json) {
  return std::make_unique<Unigram>(json);
}

}  // namespace hone::text
