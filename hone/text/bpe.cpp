#include "hone/text/bpe.h"

#include <queue>

#include "hone/base/check.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

/// A symbol of the piece in a doubly linked list; merged ones get length 0.
struct Symbol {
  int32_t id = 0;
  int64_t length = 0;
  int32_t previous = -1, next = -1;
};

/// A merge that may be done: the lowest rank first, then the leftmost.
struct Candidate {
  int32_t rank = 0, left = 0, result = 0;
  int64_t length = 0;  // of both symbols together; a stale candidate has another one
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

void require_plain(const Json& model, const char* key) {
  const auto found = model.find(key);
  const bool plain = found == model.end() || found->is_null() || *found == "" || *found == 0 ||
                     *found == 0.0 || *found == false;
  HONE_CHECK(plain, "tokenizer.json: BPE option {} = {} is not supported", key, found->dump());
}

}  // namespace

Bpe::Bpe(const Json& model) {
  for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix",
                          "byte_fallback", "unk_token"}) {
    require_plain(model, key);
  }
  ignore_merges_ = model.value("ignore_merges", false);
  HONE_CHECK(model.contains("vocab") && model.contains("merges"),
             "tokenizer.json: a BPE model needs 'vocab' and 'merges'");
  for (const auto& [token, id] : model["vocab"].items()) vocabulary_[token] = id.get<int32_t>();
  read_merges(model["merges"]);
}

void Bpe::read_merges(const Json& merges) {
  int32_t rank = 0;
  for (const auto& merge : merges) {
    std::string left, right;
    if (merge.is_array() && merge.size() == 2) {
      left = merge[0].get<std::string>();
      right = merge[1].get<std::string>();
    } else {
      const auto text = merge.get<std::string>();
      const size_t blank = text.find(' ');
      HONE_CHECK(blank != std::string::npos, "tokenizer.json: merge '{}' is no pair", text);
      left = text.substr(0, blank);
      right = text.substr(blank + 1);
    }
    const auto a = vocabulary_.find(left), b = vocabulary_.find(right),
               ab = vocabulary_.find(left + right);
    HONE_CHECK(a != vocabulary_.end() && b != vocabulary_.end() && ab != vocabulary_.end(),
               "tokenizer.json: merge '{}' + '{}' uses a token that is not in the vocabulary", left,
               right);
    merges_.try_emplace(pair_key(a->second, b->second), Merge{rank++, ab->second});
  }
}

void Bpe::encode(std::string_view piece, std::vector<int32_t>& ids,
                 std::vector<int64_t>& lengths) const {
  if (ignore_merges_) {
    const auto whole = vocabulary_.find(std::string(piece));
    if (whole != vocabulary_.end()) {
      ids.push_back(whole->second);
      lengths.push_back(static_cast<int64_t>(piece.size()));
      return;
    }
  }
  std::vector<Symbol> symbols;
  for (int64_t i = 0; i < static_cast<int64_t>(piece.size());) {
    const int64_t size = code_point_at(piece, i).size;
    const auto found = vocabulary_.find(std::string(piece.substr(i, size)));
    HONE_CHECK(found != vocabulary_.end(), "the tokenizer has no token for '{}'",
               piece.substr(i, size));
    const auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back({found->second, size, index - 1, -1});
    if (index > 0) symbols[index - 1].next = index;
    i += size;
  }
  std::priority_queue<Candidate> candidates;
  const auto offer = [&](int32_t left) {
    const int32_t right = left < 0 ? -1 : symbols[left].next;
    if (right < 0) return;
    const auto found = merges_.find(pair_key(symbols[left].id, symbols[right].id));
    if (found == merges_.end()) return;
    candidates.push({found->second.rank, left, found->second.result,
                     symbols[left].length + symbols[right].length});
  };
  for (int32_t i = 0; i < static_cast<int32_t>(symbols.size()); ++i) offer(i);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Symbol& left = symbols[best.left];
    if (left.length == 0 || left.next < 0) continue;
    Symbol& right = symbols[left.next];
    if (left.length + right.length != best.length) continue;
    const auto again = merges_.find(pair_key(left.id, right.id));
    if (again == merges_.end() || again->second.result != best.result) continue;
    left.id = best.result;
    left.length = best.length;
    right.length = 0;
    left.next = right.next;
    if (left.next >= 0) symbols[left.next].previous = best.left;
    offer(best.left);
    offer(left.previous);
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.length == 0) continue;
    ids.push_back(symbol.id);
    lengths.push_back(symbol.length);
  }
}

}  // namespace hone::text
