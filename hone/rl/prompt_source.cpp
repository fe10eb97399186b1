#include "hone/rl/prompt_source.h"

namespace hone::rl {
namespace {

data::Prompt prompt_of(const reward::Problem& problem) {
  return {.messages = Json::array({{{"role", "user"}, {"content", problem.question}}}),
          .answer = problem.answer,
          .metadata = problem.metadata};
}

struct Split {
  std::vector<data::Prompt> train, held_out;
};

Split load_task(const reward::TaskConfig& task, const PromptDataOptions& options) {
  const reward::ProblemSet problems(task, options.seed, options.held_out);
  HONE_CHECK(problems.train_count() <= 1000000,
             "data.task has {} problems, more than the 1,000,000 that a run holds; narrow its "
             "ranges",
             problems.train_count());
  Split split;
  for (uint64_t i = 0; i < problems.train_count(); ++i) {
    split.train.push_back(prompt_of(problems.train(i)));
  }
  for (uint64_t i = 0; i < problems.held_out_count(); ++i) {
    split.held_out.push_back(prompt_of(problems.held_out(i)));
  }
  return split;
}

Split load_file(const PromptDataOptions& options) {
  std::vector<data::Prompt> prompts = data::load_prompts(*options.file);
  Split split;
  if (options.eval_file) split.held_out = data::load_prompts(*options.eval_file);
  HONE_CHECK(options.held_out < static_cast<int64_t>(prompts.size()),
             "data.held_out is {}, but {} has only {} prompts", options.held_out,
             options.file->path.string(), prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    const uint64_t place = permuted({.seed = options.seed}, i, prompts.size());
    auto& part = place < static_cast<uint64_t>(options.held_out) ? split.held_out : split.train;
    part.push_back(std::move(prompts[i]));
  }
  return split;
}

std::vector<RolloutPrompt> encode_all(const std::vector<data::Prompt>& prompts,
                                      const PromptEncoder& encoder, int64_t max_length) {
  std::vector<RolloutPrompt> encoded;
  for (const auto& prompt : prompts) {
    encoded.push_back(encoder.encode(prompt));
    HONE_CHECK(static_cast<int64_t>(encoded.back().tokens.size()) <= max_length,
               "a prompt has {} tokens, more than data.max_prompt_length = {}: '{:.80}…'; raise it "
               "or drop the prompt",
               encoded.back().tokens.size(), max_length, encoded.back().text);
  }
  return encoded;
}

}  // namespace

RolloutPrompt PromptEncoder::encode(const data::Prompt& prompt) const {
  const text::ChatInput input{
      .messages = prompt.messages, .add_generation_prompt = true, .variables = variables};
  RolloutPrompt encoded{.answer = prompt.answer, .metadata = prompt.metadata};
  encoded.tokens = text::encode_chat(tokenizer, chat_template, input).ids;
  encoded.text = tokenizer.decode(encoded.tokens, false);
  return encoded;
}

PromptSource::PromptSource(const PromptDataOptions& options, const PromptEncoder& encoder) {
  const Split split = options.task ? load_task(*options.task, options) : load_file(options);
  train_ = encode_all(split.train, encoder, options.max_prompt_length);
  held_out_ = encode_all(split.held_out, encoder, options.max_prompt_length);
  HONE_CHECK(!train_.empty(), "data: no prompt is left to train on");
}

data::DataIdentity PromptSource::identity() const {
  std::string bytes;
  for (const auto& prompt : train_) {
    bytes.append(reinterpret_cast<const char*>(prompt.tokens.data()), 4 * prompt.tokens.size());
    bytes += prompt.answer + '\n';
  }
  return {.count = static_cast<int64_t>(train_.size()), .fingerprint = sha256(bytes)};
}

}  // namespace hone::rl
