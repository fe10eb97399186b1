#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "hone/base/check.h"
#include "hone/engine/sampling.h"

namespace hone::engine {

TEST(SamplingError, EachFieldOutOfRangeIsNamed) {
  using Change = std::function<void(SamplingParams&)>;
  const std::vector<std::pair<std::string, Change>> cases{
      {"temperature", [](auto& p) { p.temperature = -1; }},
      {"temperature", [](auto& p) { p.temperature = std::numeric_limits<float>::quiet_NaN(); }},
      {"temperature", [](auto& p) { p.temperature = 1e-30f; }},
      {"top_k", [](auto& p) { p.top_k = -1; }},
      {"top_p", [](auto& p) { p.top_p = 1.5f; }},
      {"min_p", [](auto& p) { p.min_p = -0.1f; }},
      {"repetition_penalty", [](auto& p) { p.repetition_penalty = 0; }},
      {"frequency_penalty",
       [](auto& p) { p.frequency_penalty = std::numeric_limits<float>::infinity(); }},
      {"presence_penalty",
       [](auto& p) { p.presence_penalty = std::numeric_limits<float>::quiet_NaN(); }},
      {"max_tokens", [](auto& p) { p.max_tokens = 0; }},
      {"min_tokens", [](auto& p) { p.min_tokens = p.max_tokens + 1; }},
      {"stop string",
       [](auto& p) {
         p.stop = {"a", ""};
       }},
  };
  EXPECT_NO_THROW(SamplingParams{}.check());
  for (const auto& [name, change] : cases) {
    SamplingParams params;
    change(params);
    try {
      params.check();
      ADD_FAILURE() << name << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace hone::engine
