#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/cli/commands.h"
#include "hone/cli/requests.h"

namespace hone::cli {
namespace {

struct TokenizeOptions {
  std::string model, text;
  std::vector<int32_t> ids;
  bool messages = false, no_special = false, pieces = false;
};

int tokenize(const TokenizeOptions& options) {
  const auto files = train::ModelFiles::load(options.model);
  if (!options.ids.empty()) {
    std::cout << files.tokenizer.decode(options.ids, false) << '\n';
    return 0;
  }
  std::vector<int32_t> ids;
  if (options.messages) {
    const data::JsonLine line{{{"messages", parse_json(options.text, "--text")}}, "--text"};
    ids = prompt_tokens(line, files);
  } else {
    ids = files.tokenizer.encode(options.text, !options.no_special);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (options.pieces) {
      std::cout << ids[i] << '\t' << files.tokenizer.id_to_token(ids[i]) << '\n';
    } else {
      std::cout << (i ? " " : "") << ids[i];
    }
  }
  if (!options.pieces) std::cout << '\n';
  return 0;
}

}  // namespace

Command add_tokenize(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  app.add_option("-m,--model", options->model, "Hugging Face folder")->required();
  auto* text = app.add_option("-t,--text", options->text, "text, or JSON with --messages");
  auto* ids = app.add_option("--ids", options->ids, "token ids to turn into text");
  text->excludes(ids);
  app.add_flag("--messages", options->messages,
               "--text is a JSON list of messages, put through the chat template");
  app.add_flag("--no-special", options->no_special, "leave out added special tokens");
  app.add_flag("--pieces", options->pieces, "one line a token: id and piece");
  return [options] { return tokenize(*options); };
}

}  // namespace hone::cli
