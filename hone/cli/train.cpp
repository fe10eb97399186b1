#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/base/curve.h"
#include "hone/base/fields.h"
#include "hone/base/stop_signals.h"
#include "hone/cli/commands.h"
#include "hone/cli/session.h"
#include "hone/rl/dry_run.h"
#include "hone/rl/grpo_trainer.h"
#include "hone/train/dry_run.h"
#include "hone/train/sft_trainer.h"

namespace hone::cli {
namespace {

struct TrainOptions {
  std::string run;
  std::vector<std::string> set, more;
  bool dry_run = false;
};

/// "correct 21.3 % -> 88.0 % (greedy 73.3 % -> 93.3 %), mismatch_max 0, 412 s".
std::string result_line(const rl::GrpoResult& result) {
  const auto percent = [](const std::optional<rl::Evaluation>& evaluation, bool greedy) {
    if (!evaluation) return std::string("?");
    return fmt::format("{:.1f} %", 100 * (greedy ? evaluation->greedy : evaluation->sampled));
  };
  return fmt::format("correct {} -> {} (greedy {} -> {}), mismatch_max {:g}, {:.0f} s",
                     percent(result.before, false), percent(result.after, false),
                     percent(result.before, true), percent(result.after, true), result.mismatch_max,
                     result.seconds);
}

/// Says how to go on; the exit status of an interrupted command.
int report_stop(const Path& output) {
  std::cerr << "stopped; the same command goes on from " << output.string() << '\n';
  return StopSignals::status();
}

/// The exit status: 4 where the goal of the run file is missed.
int report(const rl::GrpoConfig& config, const rl::GrpoResult& result) {
  if (result.rewards.size() > 1) {
    const CurveOptions options{.title = "mean reward", .x_label = "step"};
    std::cerr << draw_curve(result.rewards, options);
  }
  if (result.stopped) return report_stop(config.output);
  std::cerr << "model: " << (config.output / "model").string() << '\n';
  std::cout << result_line(result) << '\n';
  const bool reached = !result.after || (result.after->sampled >= config.goal.sampled &&
                                         result.after->greedy >= config.goal.greedy);
  return reached ? 0 : 4;
}

/// The text of a run file, where it came from and what the command line changes in it.
struct RunFile {
  std::string text, origin;
  std::vector<std::string> overrides;
  bool dry_run = false;
};

int print_plan(const std::string& plan) {
  std::cout << plan;
  return 0;
}

int train_grpo(const RunFile& file) {
  const auto config = config::read_toml<rl::GrpoConfig>(file.text, file.origin, file.overrides);
  if (file.dry_run) return print_plan(rl::dry_run(config));
  set_threads(config.threads);
  rl::GrpoTrainer trainer(config);
  return report(config, trainer.run());
}

int train_sft(const RunFile& file) {
  const auto config = config::read_toml<train::SftConfig>(file.text, file.origin, file.overrides);
  if (file.dry_run) return print_plan(train::dry_run(config));
  set_threads(config.threads);
  train::SftTrainer trainer(config);
  const train::SftResult result = trainer.run();
  if (result.losses.size() > 1) {
    std::cerr << draw_curve(result.losses, {.title = "loss", .x_label = "step"});
  }
  if (result.stopped) return report_stop(config.output);
  std::cerr << "model: " << (config.output / "model").string() << '\n';
  const std::string held_out =
      result.held_out ? fmt::format(", held-out loss {:.4f}", *result.held_out) : "";
  std::cout << fmt::format("loss {:.4f}{}, {:.0f} s\n",
                           result.losses.empty() ? 0 : result.losses.back(), held_out,
                           result.seconds);
  return 0;
}

struct Method {
  const char* name;
  int (*train)(const RunFile&);
};

/// One row a method.
constexpr Method kMethods[] = {{"sft", train_sft}, {"grpo", train_grpo}};

int train(const TrainOptions& options) {
  RunFile file{read_file(options.run), options.run, options.set, options.dry_run};
  file.overrides.insert(file.overrides.end(), options.more.begin(), options.more.end());
  const StopSignals signals;
  const std::string method = config::top_level_text(file.text, file.origin, "method");
  for (const Method& row : kMethods) {
    if (method == row.name) return row.train(file);
  }
  fail_input("{}: method '{}' is unknown; known are sft and grpo", options.run, method);
}

}  // namespace

Command add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  app.add_option("run", options->run, "TOML file of the run")->required();
  app.add_option("--set", options->set, "option to change: a.b=3");
  app.add_option("overrides", options->more, "the same without --set");
  app.add_flag("--dry-run", options->dry_run,
               "show the plan, the memory and the first step's data, then stop");
  app.footer(
      "The run resumes from the newest checkpoint in its output folder. Ctrl-C stops it after the\n"
      "step, with a checkpoint; a second one stops it at once.\n"
      "Example:\n  hone train recipes/arithmetic.toml --set train.steps=20 optim.lr=2e-5");
  return [options] { return train(*options); };
}

}  // namespace hone::cli
