#pragma once

#include "hone/reward/problem.h"
#include "hone/reward/reward.h"

namespace hone::reward {

/// "How many times does the letter e occur in 'green tree'?" Difficulty: how many words, which
/// words, which letters.
struct LettersTask {
  static constexpr const char* kKind = "letters";
  int32_t word_count = 1;
  std::string letters = "aeinorst";
  std::vector<std::string> words = {
      "apple",    "banana",  "cherry",   "orange",  "tomato",  "potato",  "carrot",   "pepper",
      "butter",   "cheese",  "coffee",   "sugar",   "bottle",  "kitchen", "window",   "garden",
      "river",    "forest",  "mountain", "island",  "station", "engine",  "letter",   "number",
      "teacher",  "student", "doctor",   "sister",  "brother", "summer",  "winter",   "strawberry",
      "elephant", "rabbit",  "kangaroo", "lantern", "mirror",  "feather", "sentence", "question"};
  std::string question =
      "How many times does the letter \"{letter}\" occur in \"{words}\"? Reply with only the "
      "number.";

  static void fields(auto&& self, auto&& visit) {
    visit("word_count", self.word_count, "Words in a question, at least 1.");
    visit("letters", self.letters, "Letters to ask for, each a single ASCII character.");
    visit("words", self.words, "Words to draw from.");
    visit("question", self.question, "Text of the question; {letter}, {words} are replaced.");
  }
  void check() const;

  /// How many different problems there are.
  uint64_t count() const;
  /// The problem of this rank in [0, count()); all have different questions.
  Problem problem(uint64_t seed, uint64_t rank) const;
  /// 1 if the last number of the completion is the answer.
  static Score verify(const Sample& sample);
};

}  // namespace hone::reward
