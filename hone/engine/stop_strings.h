#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::engine {

/// Finds stop strings in text that comes in pieces. The result is a function of the whole text,
/// never of where it was cut: the match that ends first counts, the longest of those that end at
/// the same byte. Only what may still become a stop string is withheld (Knuth, Morris and Pratt,
/// "Fast pattern matching in strings", 1977).
class StopMatcher {
 public:
  /// Throws an input error on an empty stop string. `include_stop` leaves the match in the text.
  StopMatcher(const std::vector<std::string>& stops, bool include_stop);

  /// Takes the next piece and gives the text that is now certain; nothing after a match.
  std::string feed(std::string_view piece);

  /// The withheld text, when the sequence ended for another reason.
  std::string flush();

  /// Which stop string matched.
  std::optional<size_t> matched() const { return matched_; }

 private:
  struct Pattern {
    std::string text;
    std::vector<size_t> border;  // of each prefix: its longest proper prefix that is a suffix
    size_t length = 0;           // of the pattern's prefix that the text ends with
    void advance(char byte);
  };

  std::vector<Pattern> patterns_;
  bool include_stop_ = false;
  std::string withheld_;
  std::optional<size_t> matched_;
};

}  // namespace hone::engine
