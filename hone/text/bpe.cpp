#include <algorithm>

#include "hone/text/flat_map.h"
#include "hone/text/models.h"
#include "hone/text/unicode.h"

namespace hone::text {
namespace {

struct Merge {
  uint32_t rank = 0;
  int32_t id = 0;
};

/// A node of the list of symbols that merging works on; size 0: merged away.
struct Symbol {
  int32_t id;
  uint32_t size;
  int32_t previous, next;
};

struct Candidate {
  uint32_t rank;
  int32_t left;
  int32_t id;
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
}

class Bpe : public Model {
 public:
  explicit Bpe(const Fields& json)
      : prefix_(field_or<std::string>(json, "continuing_subword_prefix", "")),
        suffix_(field_or<std::string>(json, "end_of_word_suffix", "")),
        fuse_unknown_(field_or(json, "fuse_unk", false)),
        ignore_merges_(field_or(json, "ignore_merges", false)) {
    const auto dropout = field_or<double>(json, "dropout", 0.0);
    HONE_CHECK(dropout == 0, "tokenizer: BPE: dropout must be null or 0, not {}", dropout);
    vocabulary_ = parse_vocabulary(json);
    const auto unknown = field_or<std::string>(json, "unk_token", "");
    if (json.contains("unk_token") && !json["unk_token"].is_null()) {
      unknown_ = vocabulary_.find(unknown);
      unknown_name_ = unknown;
    }
    if (field_or(json, "byte_fallback", false)) byte_ids_ = byte_token_ids(vocabulary_);
    const Fields& merges = list_field(json, "merges");
    for (size_t i = 0; i < merges.size(); ++i) add_merge(merges[i], i);
  }

  void tokenize(std::string_view piece, std::vector<Token>& out) const override {
    if (ignore_merges_) {
      if (const auto id = vocabulary_.find(piece)) {
        out.push_back({*id, 0, static_cast<uint32_t>(piece.size())});
        return;
      }
    }
    thread_local std::vector<Symbol> symbols;
    symbols.clear();
    split_chars(piece, symbols);
    merge(symbols);
    uint32_t at = 0;
    for (const Symbol& symbol : symbols) {
      if (!symbol.size) continue;
      out.push_back({symbol.id, at, at + symbol.size});
      at += symbol.size;
    }
  }

 private:
  void add_merge(const Fields& json, size_t rank) {
    std::string left, right;
    if (json.is_string()) {
      const auto text = json.get<std::string>();
      const size_t space = text.find(' ');
      HONE_CHECK(space != text.npos && text.find(' ', space + 1) == text.npos,
                 "tokenizer: BPE: merge {} must be two tokens with a space between, not '{}'", rank,
                 text);
      left = text.substr(0, space);
      right = text.substr(space + 1);
    } else {
      HONE_CHECK(json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string(),
                 "tokenizer: BPE: merge {} must be a pair of tokens, not {}", rank, json.dump());
      left = json[0].get<std::string>();
      right = json[1].get<std::string>();
    }
    HONE_CHECK(right.size() >= prefix_.size(), "tokenizer: BPE: merge {} ('{}') lacks prefix '{}'",
               rank, right, prefix_);
    const int32_t a = merge_id(left, rank), b = merge_id(right, rank);
    const int32_t whole = merge_id(left + right.substr(prefix_.size()), rank);
    merges_.insert(pair_key(a, b), {static_cast<uint32_t>(rank), whole});
  }

  int32_t merge_id(const std::string& token, size_t rank) const {
    const auto id = vocabulary_.find(token);
    HONE_CHECK(id, "tokenizer: BPE: token '{}' of merge {} is not in the vocabulary", token, rank);
    return *id;
  }

  static void push(std::vector<Symbol>& symbols, int32_t id, uint32_t size) {
    const auto at = static_cast<int32_t>(symbols.size());
    symbols.push_back({id, size, at - 1, at + 1});
  }

  bool push_bytes(std::string_view character, std::vector<Symbol>& symbols) const {
    if (byte_ids_.empty()) return false;
    for (const char c : character)
      if (byte_ids_[static_cast<uint8_t>(c)] < 0) return false;
    for (const char c : character) push(symbols, byte_ids_[static_cast<uint8_t>(c)], 1);
    return true;
  }

  std::optional<int32_t> char_id(std::string_view piece, size_t at, uint32_t size) const {
    const bool plain =
        (prefix_.empty() || at == 0) && (suffix_.empty() || at + size < piece.size());
    if (plain) return vocabulary_.find(piece.substr(at, size));
    std::string text = at ? prefix_ : std::string();
    text.append(piece.substr(at, size));
    if (at + size == piece.size()) text += suffix_;
    return vocabulary_.find(text);
  }

  void split_chars(std::string_view piece, std::vector<Symbol>& symbols) const {
    uint32_t unknown_size = 0;
    auto flush = [&] {
      if (unknown_size) push(symbols, *unknown_, unknown_size);
      unknown_size = 0;
    };
    for (size_t at = 0; at < piece.size();) {
      const uint32_t size = decode_at(piece, at).size;
      if (const auto id = char_id(piece, at, size)) {
        flush();
        push(symbols, *id, size);
      } else if (!push_bytes(piece.substr(at, size), symbols) && unknown_name_) {
        HONE_CHECK(unknown_, "tokenizer: BPE: unk_token '{}' is not in the vocabulary",
                   *unknown_name_);
        if (!fuse_unknown_) flush();
        unknown_size += size;
      }
      at += size;
    }
    flush();
    if (!symbols.empty()) symbols.back().next = -1;
  }

  void merge(std::vector<Symbol>& symbols) const {
    thread_local std::vector<Candidate> heap;
    heap.clear();
    auto consider = [&](int32_t left) {
      if (left < 0 || symbols[left].next < 0) return;
      const Merge* found = merges_.find(pair_key(symbols[left].id, symbols[symbols[left].next].id));
      if (!found) return;
      heap.push_back({found->rank, left, found->id});
      std::push_heap(heap.begin(), heap.end());
    };
    for (size_t i = 0; i < symbols.size(); ++i) consider(static_cast<int32_t>(i));
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      const Candidate top = heap.back();
      heap.pop_back();
      Symbol& left = symbols[top.left];
      if (!left.size || left.next < 0) continue;
      Symbol& right = symbols[left.next];
      const Merge* now = merges_.find(pair_key(left.id, right.id));
      if (!now || now->id != top.id) continue;
      left.id = top.id;
      left.size += right.size;
      right.size = 0;
      left.next = right.next;
      if (left.next >= 0) symbols[left.next].previous = top.left;
      consider(left.previous);
      consider(top.left);
    }
  }

  std::string prefix_, suffix_;
  bool fuse_unknown_, ignore_merges_;
  std::optional<int32_t> unknown_;
  std::optional<std::string> unknown_name_;
  std::vector<int32_t> byte_ids_;
  FlatMap<Merge> merges_;
};

}  // namespace

std::unique_ptr<Model> make_bpe(const Fields& json) {
  return std::make_unique<Bpe>(json);
}

}  // namespace hone::text
