#pragma once

#include <array>
#include <utility>

#include "hone/reward/reward.h"

namespace hone::reward {

/// The shapes a completion may be asked to have.
enum class FormatStyle {
  bare_answer,  // the stripped completion equals the stripped answer: nothing around it
  bare_number,  // the stripped completion is one number, right or wrong
  answer_tags,  // <answer>…</answer> once, at the end
  think_tags,   // <think>…</think> once, at the start, then text
  pattern       // the whole completion matches `pattern`
};
constexpr std::array<std::pair<FormatStyle, const char*>, 5> enum_names(FormatStyle) {
  return {{{FormatStyle::bare_answer, "bare_answer"},
           {FormatStyle::bare_number, "bare_number"},
           {FormatStyle::answer_tags, "answer_tags"},
           {FormatStyle::think_tags, "think_tags"},
           {FormatStyle::pattern, "pattern"}}};
}

/// 1 if the completion has the shape, else 0.
struct FormatReward : RewardCommon {
  static constexpr const char* kKind = "format";
  FormatStyle style = FormatStyle::bare_answer;
  std::string pattern;

  static void fields(auto&& self, auto&& visit) {
    RewardCommon::fields(self, visit);
    visit("style", self.style, "The shape asked for.");
    visit("pattern", self.pattern, "PCRE2 pattern of the whole completion, for style = pattern.");
  }
  void check() const;
  Scorer scorer() const;
};

}  // namespace hone::reward
