#include "hone/cli/commands.h"

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <cstdio>
#include <exception>

#include "hone/base/check.h"

namespace hone::cli {
namespace {

struct Row {
  const char* name;
  const char* help;
  Command (*add)(CLI::App&);
};

/// One row a command, in the order in which help lists them.
constexpr Row kCommands[] = {
    {"train", "train a model as a run file says; resumes by itself", add_train},
    {"generate", "complete the prompts of a JSON-lines file", add_generate},
    {"score", "log-probabilities of given completions by the training forward", add_score},
    {"tokenize", "text or messages to token ids and back", add_tokenize},
    {"chat", "talk to a model in the terminal", add_chat},
    {"import", "turn a GGUF file into a Hugging Face folder", add_import},
    {"pull", "download a model from the Hugging Face hub", add_pull},
    {"inspect", "what is in a model folder, safetensors or GGUF file", add_inspect},
    {"init", "list the recipes, or copy one to start from", add_init},
    {"config", "every option of a run file, its value and where it came from", add_config},
    {"doctor", "what this machine can do, and why not more", add_doctor},
};

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::failed:
      return 1;
    case ErrorKind::input:
      return 2;
    case ErrorKind::threshold:
      return 4;
    case ErrorKind::try_later:
      return 75;
    case ErrorKind::interrupted:
      return 130;
  }
  return 1;
}

/// Freed tensors stay with the process: fresh pages cost more than the arithmetic on them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace

int run(int argc, char** argv) {
  keep_freed_memory();
  CLI::App app("Hone post-trains language models: one program from checkpoint to served model.",
               "hone");
  app.require_subcommand(1);
  app.set_version_flag("--version", "hone 0.1.0");
  int status = 0;
  for (const Row& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.help);
    const Command body = row.add(*command);
    command->callback([body, &status] { status = body(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return status;
}

}  // namespace hone::cli
