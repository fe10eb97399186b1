#include <CLI/CLI.hpp>
#include <iostream>

#include "hone/cli/commands.h"
#include "hone/io/gguf_import.h"

namespace hone::cli {
namespace {

struct ImportOptions {
  std::string gguf, folder;
};

}  // namespace

Command add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("gguf", options->gguf, "GGUF file")->required();
  app.add_option("folder", options->folder, "folder to write; it appears once it is complete")
      ->required();
  app.footer(
      "Weights are dequantised and written as bf16. The folder loads in transformers.\n"
      "Example:\n  hone import SmolLM2-135M-Instruct.Q4_1.gguf smollm2");
  return [options] {
    io::import_gguf(options->gguf, options->folder);
    std::cout << options->folder << '\n';
    return 0;
  };
}

}  // namespace hone::cli
