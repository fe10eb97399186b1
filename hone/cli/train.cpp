#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/base/curve.h"
#include "hone/base/fields.h"
#include "hone/cli/commands.h"
#include "hone/cli/session.h"
#include "hone/rl/grpo_trainer.h"

namespace hone::cli {
namespace {

struct TrainOptions {
  std::string run;
  std::vector<std::string> set, more;
};

void print_result(const rl::GrpoConfig& config, const rl::GrpoResult& result) {
  if (result.rewards.size() > 1) {
    std::cerr << draw_curve(result.rewards, {.title = "mean reward", .x_label = "step"});
  }
  std::cout << (config.output / "model").string() << '\n';
}

int train(const TrainOptions& options) {
  auto overrides = options.set;
  overrides.insert(overrides.end(), options.more.begin(), options.more.end());
  const std::string text = read_file(options.run);
  const auto config = config::read_toml<rl::GrpoConfig>(text, options.run, overrides);
  set_threads(config.threads);
  rl::GrpoTrainer trainer(config);
  print_result(config, trainer.run());
  return 0;
}

}  // namespace

Command add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  app.add_option("run", options->run, "TOML file of the run")->required();
  app.add_option("--set", options->set, "option to change: a.b=3");
  app.add_option("overrides", options->more, "the same without --set");
  app.footer(
      "The run resumes from the newest checkpoint in its output folder.\n"
      "Example:\n  hone train recipes/arithmetic.toml --set train.steps=20 optim.lr=2e-5");
  return [options] { return train(*options); };
}

}  // namespace hone::cli
