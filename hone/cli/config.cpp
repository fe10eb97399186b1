#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/base/fields.h"
#include "hone/base/files.h"
#include "hone/cli/commands.h"
#include "hone/rl/grpo_config.h"

namespace hone::cli {
namespace {

struct ConfigOptions {
  std::string run, key;
  std::vector<std::string> set;
};

int show(const ConfigOptions& options) {
  config::Origins origins;
  const auto run =
      config::read_toml<rl::GrpoConfig>(read_file(options.run), options.run, options.set, &origins);
  std::cout << config::print_origins(run, origins);
  return 0;
}

}  // namespace

Command add_config(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  app.add_option("run", options->run, "run file to check and show with the origin of each value");
  app.add_option("--set", options->set, "option to change: a.b=3");
  app.add_option("--help-key", options->key, "explain one option, e.g. loss.clip_high");
  return [options] {
    if (!options->run.empty()) return show(*options);
    std::cout << config::help<rl::GrpoConfig>(options->key);
    return 0;
  };
}

}  // namespace hone::cli
