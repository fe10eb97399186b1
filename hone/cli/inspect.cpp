#include "hone/io/inspect.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/cli/commands.h"

namespace hone::cli {
namespace {

struct InspectOptions {
  std::string path;
  bool json = false;
};

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  app.add_option("path", options->path, "Hugging Face folder, .safetensors or .gguf file")
      ->required();
  app.add_flag("--json", options->json, "everything as JSON, each tensor included");
  return [options] {
    const Json inspection = io::inspect(options->path);
    std::cout << (options->json ? print_json(inspection) + "\n" : io::print_inspection(inspection));
    return 0;
  };
}

}  // namespace hone::cli
