#pragma once

#include <string>
#include <vector>

#include "hone/base/files.h"
#include "hone/base/json.h"

namespace hone::data {

/// A JSON-lines file of prompts with their ground truth. GSM8K: question_field = "question",
/// answer_field = "answer", answer_marker = "####".
struct PromptOptions {
  Path path = {};
  std::string question_field = "prompt";
  std::string answer_field = "answer";
  std::string answer_marker = {};
  std::string system = {};

  static void fields(auto&& self, auto&& visit) {
    visit("path", self.path, "JSON-lines file of prompts.");
    visit("question_field", self.question_field,
          "Field with the prompt: a string or a list of messages.");
    visit("answer_field", self.answer_field,
          "Field with the ground truth: a string or a number; empty for none.");
    visit("answer_marker", self.answer_marker,
          "The ground truth is what follows the last such marker; empty for all of it.");
    visit("system", self.system, "System message put before each prompt; empty for none.");
  }
};

/// One prompt: {"prompt": "What is 2 + 3?", "answer": 5, "level": 1} becomes
/// messages [{"role": "user", "content": "What is 2 + 3?"}], answer "5", metadata {"level": 1}.
struct Prompt {
  Json messages;       // for the chat template
  std::string answer;  // ground truth, stripped; a number as its JSON text
  Json metadata;       // the other fields of the line; if there is an object `metadata`, that one
};

/// All prompts of the file, in order. Input errors name file and line; an empty file is one.
std::vector<Prompt> load_prompts(const PromptOptions& options);

/// One conversation to be learned from. Messages before `learn_from` are context only; in a file of
/// `messages` every assistant message is learned and `learn_from` is 0.
struct Conversation {
  Json messages;
  Json tools;  // null or the list of JSON schemas of the line
  int64_t learn_from = 0;
};

/// All conversations of a JSON-lines file whose lines are {"messages": […], "tools": […]?} or
/// {"prompt", "completion"}, each a string or a list of messages. Input errors name file and line.
std::vector<Conversation> load_conversations(const Path& path);

}  // namespace hone::data
