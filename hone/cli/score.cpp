#include <CLI/CLI.hpp>

#include "hone/base/append_file.h"
#include "hone/base/progress.h"
#include "hone/cli/commands.h"
#include "hone/cli/requests.h"
#include "hone/cli/session.h"
#include "hone/train/scoring.h"

namespace hone::cli {
namespace {

struct ScoreCommand {
  ModelOptions model;
  std::string input, output;
  double temperature = 1;
};

/// The completion of a line: text, or the token ids that `hone generate` wrote.
std::vector<int32_t> completion_tokens(const data::JsonLine& line, const train::ModelFiles& files) {
  const Json& completion = data::member(line, "completion");
  std::vector<int32_t> tokens;
  if (completion.is_string()) {
    tokens = files.tokenizer.encode(completion.get<std::string>(), false);
  } else {
    HONE_CHECK(completion.is_array(), "{}: 'completion' must be a string or a list of token ids",
               line.place);
    tokens = completion.get<std::vector<int32_t>>();
  }
  HONE_CHECK(!tokens.empty(), "{}: 'completion' has no token", line.place);
  return tokens;
}

std::string score_line(const data::JsonLine& line, const Session& session, double temperature) {
  const auto prompt = prompt_tokens(line, session.files);
  HONE_CHECK(!prompt.empty(), "{}: the prompt has no token", line.place);
  const auto completion = completion_tokens(line, session.files);
  train::Packer packer;
  packer.add_leaf(completion, packer.add_trunk(prompt, -1), {}, 0);
  const at::NoGradGuard no_grad;
  const auto scores = train::score(*session.model, packer.take(), {.temperature = temperature});
  const at::Tensor log_probs = scores.log_prob.cpu();
  Json out = Json::object();
  if (line.object.contains("id")) out["id"] = line.object["id"];
  out["token_ids"] = completion;
  out["logprobs"] = Json::array();
  for (int64_t i = 0; i < log_probs.size(0); ++i) {
    out["logprobs"].push_back(json_float(log_probs.const_data_ptr<float>()[i]));
  }
  return print_json(out) + "\n";
}

int score(const ScoreCommand& options) {
  std::vector<data::JsonLine> lines;
  data::for_each_line(options.input, [&](const data::JsonLine& line) { lines.push_back(line); });
  const Session session(options.model);
  std::string text;
  Progress progress(
      {.label = "score", .unit = "lines", .total = static_cast<int64_t>(lines.size())});
  for (size_t i = 0; i < lines.size(); ++i) {
    text += score_line(lines[i], session, options.temperature);
    progress.update(static_cast<int64_t>(i) + 1);
  }
  write_file(options.output, text);
  return 0;
}

}  // namespace

Command add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreCommand>();
  options->model.add_to(app);
  app.add_option("-i,--input", options->input,
                 "JSON lines: prompt, messages or token_ids, and completion (text or token ids)")
      ->required();
  app.add_option("-o,--output", options->output, "JSON lines: token_ids, logprobs")->required();
  app.add_option("--temperature", options->temperature, "divides the logits")
      ->capture_default_str();
  return [options] { return score(*options); };
}

}  // namespace hone::cli
