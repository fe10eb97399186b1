#include "hone/reward/letters.h"

#include <algorithm>
#include <set>

#include "hone/base/check.h"
#include "hone/reward/arithmetic.h"

namespace hone::reward {

void LettersTask::check() const {
  HONE_CHECK(word_count >= 1, "word_count must be at least 1, came {}", word_count);
  const std::set<char> different_letters(letters.begin(), letters.end());
  HONE_CHECK(!letters.empty() && different_letters.size() == letters.size(),
             "letters must be different characters, came '{}'", letters);
  const std::set<std::string> different_words(words.begin(), words.end());
  HONE_CHECK(!words.empty() && different_words.size() == words.size(),
             "words must be different and at least one");
}

uint64_t LettersTask::count() const {
  const uint64_t all = bounded_product(bounded_power(words.size(), word_count), letters.size());
  return std::min(all, kMaxProblemCount);
}

Problem LettersTask::problem(uint64_t, uint64_t rank) const {
  const char letter = letters[take_digit(rank, letters.size())];
  std::string phrase;
  for (int32_t i = 0; i < word_count; ++i) {
    phrase += (i > 0 ? " " : "") + words[take_digit(rank, words.size())];
  }
  std::string text = with_value(question, "letter", std::string(1, letter));
  return {with_value(text, "words", phrase),
          std::to_string(std::count(phrase.begin(), phrase.end(), letter)), Json{{"task", kKind}}};
}

Score LettersTask::verify(const Sample& sample) {
  return ArithmeticTask::verify(sample);
}

}  // namespace hone::reward
