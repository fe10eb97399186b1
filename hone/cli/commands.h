#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace hone::cli {

/// Adds a command's options to `app` and gives what runs it; the result is the exit status.
using Command = std::function<int()>;
Command add_train(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_tokenize(CLI::App& app);
Command add_chat(CLI::App& app);
Command add_import(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_pull(CLI::App& app);
Command add_doctor(CLI::App& app);
Command add_init(CLI::App& app);
Command add_config(CLI::App& app);

/// The program: parses, runs one command, turns errors into messages and exit codes (0 done,
/// 1 failed, 2 wrong input, 4 goal missed, 75 try later, 130 interrupted).
int run(int argc, char** argv);

}  // namespace hone::cli
