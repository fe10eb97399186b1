#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/base/files.h"
#include "hone/cli/commands.h"
#include "hone/cli/recipes.h"

namespace hone::cli {
namespace {

struct InitOptions {
  std::string recipe, output;
};

int init(const InitOptions& options) {
  std::string names;
  for (const Recipe& recipe : kRecipes) {
    if (options.recipe == recipe.name) {
      const Path target = options.output.empty() ? options.recipe + ".toml" : options.output;
      HONE_CHECK(!std::filesystem::exists(target),
                 "{}: is there already; name another file with --output", target.string());
      write_file(target, recipe.text);
      std::cout << target.string() << '\n';
      return 0;
    }
    names +=
        fmt::format("{:12} {}\n", recipe.name, recipe.text.substr(2, recipe.text.find('\n') - 2));
  }
  HONE_CHECK(options.recipe.empty(), "no recipe is called '{}'; there are\n{}", options.recipe,
             names);
  std::cout << names;
  return 0;
}

}  // namespace

Command add_init(CLI::App& app) {
  auto options = std::make_shared<InitOptions>();
  app.add_option("recipe", options->recipe, "recipe to copy; without: list them");
  app.add_option("-o,--output", options->output, "file to write; RECIPE.toml if not given");
  return [options] { return init(*options); };
}

}  // namespace hone::cli
