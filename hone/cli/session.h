#pragma once

#include <CLI/App.hpp>

#include "hone/runner/engine.h"
#include "hone/train/checkpoint.h"

namespace hone::cli {

/// How a command loads a model.
struct ModelOptions {
  std::string path, dtype = "bf16", device = "cpu";
  int64_t kv_mib = 1024;
  int threads = 0;

  /// Adds --model, --dtype, --device, --kv-mib, --threads.
  void add_to(CLI::App& app);
};

/// A model with its text half and an engine over it.
struct Session {
  explicit Session(const ModelOptions& options);

  train::ModelFiles files;
  std::unique_ptr<models::Model> model;
  std::unique_ptr<runner::Engine> engine;
};

/// Adds a flag for every sampling parameter, named as its field: --top-k, --min-p ….
void add_sampling(CLI::App& app, engine::SamplingParams& params);

/// Sets the threads of kernels and libtorch; 0 means all that the process may use.
void set_threads(int count);

}  // namespace hone::cli
