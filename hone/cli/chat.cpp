#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "hone/cli/commands.h"
#include "hone/cli/session.h"
#include "hone/cli/text_stream.h"

namespace hone::cli {
namespace {

volatile std::sig_atomic_t stop_answer = 0;

struct ChatOptions {
  ModelOptions model;
  std::string system;
  engine::SamplingParams sampling;
};

/// Generates and prints the answer to the conversation; Ctrl-C ends it early.
std::string answer(Session& session, const Json& messages, const engine::SamplingParams& sampling,
                   uint32_t turn) {
  engine::Request request{.params = sampling, .step = turn};
  request.prompt = text::encode_chat(session.files.tokenizer, session.files.chat_template,
                                     {.messages = messages,
                                      .add_generation_prompt = true,
                                      .variables = session.files.template_variables})
                       .ids;
  auto& stops = request.params.stop_token_ids;
  stops.insert(stops.end(), session.files.eos_token_ids.begin(), session.files.eos_token_ids.end());
  TextStream stream(session.files.tokenizer, request.params);
  std::string text;
  const auto show = [&](const std::string& piece) {
    text += piece;
    std::cout << piece << std::flush;
  };
  stop_answer = 0;
  const uint64_t id = session.engine->add(std::move(request));
  while (!session.engine->idle()) {
    session.engine->step([&](engine::Sequence& sequence) {
      show(stream.push(sequence));
      if (stream.stopped()) session.engine->finish(sequence, engine::FinishReason::stop_string);
    });
    if (stop_answer) session.engine->cancel(id);
  }
  show(stream.finish());
  std::cout << '\n';
  return text;
}

int chat(const ChatOptions& options) {
  Session session(options.model);
  struct sigaction action {};
  action.sa_handler = [](int) { stop_answer = 1; };
  sigaction(SIGINT, &action, nullptr);
  Json messages = Json::array();
  if (!options.system.empty()) {
    messages.push_back({{"role", "system"}, {"content", options.system}});
  }
  const size_t first = messages.size();
  std::cerr << "Type a message; /new starts over, /quit or Ctrl-D ends, Ctrl-C stops an answer.\n";
  std::string line;
  for (uint32_t turn = 0;; ++turn) {
    std::cerr << "> ";
    if (!std::getline(std::cin, line)) {
      if (!stop_answer) break;
      stop_answer = 0;
      std::cin.clear();
      std::cerr << '\n';
      continue;
    }
    if (line == "/quit") break;
    if (line == "/new") {
      messages.erase(messages.begin() + static_cast<int64_t>(first), messages.end());
      continue;
    }
    if (line.empty()) continue;
    messages.push_back({{"role", "user"}, {"content", line}});
    const std::string text = answer(session, messages, options.sampling, turn);
    messages.push_back({{"role", "assistant"}, {"content", text}});
  }
  return 0;
}

}  // namespace

Command add_chat(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  options->model.add_to(app);
  app.add_option("--system", options->system, "system message");
  add_sampling(app, options->sampling);
  return [options] { return chat(*options); };
}

}  // namespace hone::cli
