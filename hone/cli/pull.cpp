#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/cli/commands.h"
#include "hone/io/hub.h"

namespace hone::cli {

Command add_pull(CLI::App& app) {
  auto options = std::make_shared<io::PullOptions>();
  app.add_option("repository", options->repository, "ORG/NAME on the hub")->required();
  app.add_option("--revision", options->revision, "branch, tag or commit")->capture_default_str();
  app.footer(
      "Uses HF_HOME, HF_HUB_CACHE, HF_ENDPOINT and HF_TOKEN as huggingface_hub does, and the\n"
      "same cache. Prints the folder to give to --model.");
  return [options] {
    std::string current;
    options->progress = [&](const std::string& file, int64_t) {
      if (file != current) std::cerr << "pull: " << file << '\n';
      current = file;
    };
    std::cout << io::pull(*options).string() << '\n';
    return 0;
  };
}

}  // namespace hone::cli
