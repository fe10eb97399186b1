#include "hone/reward/format.h"

#include "hone/base/check.h"
#include "hone/reward/pattern.h"

namespace hone::reward {
namespace {

/// The pattern of a style; each tag may occur once only, so that repeating it earns nothing.
std::string style_pattern(const FormatReward& reward) {
  switch (reward.style) {
    case FormatStyle::bare_number:
      return R"(\s*[-+]?\d[\d,]*(\.\d+)?\s*)";
    case FormatStyle::answer_tags:
      return R"((?s)(?:(?!</?answer>).)*+<answer>(?:(?!</?answer>).)++</answer>\s*+)";
    case FormatStyle::think_tags:
      return R"((?s)\s*+<think>(?:(?!</?think>).)*+</think>)"
             R"(\s*+(?!</?think>)\S(?:(?!</?think>).)*+)";
    default:
      return reward.pattern;
  }
}

}  // namespace

void FormatReward::check() const {
  HONE_CHECK((style == FormatStyle::pattern) == !pattern.empty(),
             "pattern and style = \"pattern\" go together, came pattern '{}'", pattern);
  const Pattern compiles(style_pattern(*this));
}

Scorer FormatReward::scorer() const {
  if (style == FormatStyle::bare_answer) {
    return [](const Sample& sample) -> Score {
      return {stripped(sample.completion) == stripped(sample.answer) ? 1.0 : 0.0};
    };
  }
  return [pattern = Pattern(style_pattern(*this))](const Sample& sample) -> Score {
    return {pattern.matches(sample.completion) ? 1.0 : 0.0};
  };
}

}  // namespace hone::reward
