#pragma once

#include <optional>

#include "hone/models/model.h"
#include "hone/text/chat_template.h"
#include "hone/text/tokenizer.h"
#include "hone/train/run_config.h"

namespace hone::train {

/// Type and device of [model].
models::LoadOptions load_options(const ModelOptions& options);

/// What a model folder holds besides the weights: the text half of the model.
struct ModelFiles {
  Path folder;
  text::Tokenizer tokenizer;
  text::ChatTemplate chat_template;
  Json template_variables;             // bos_token, eos_token …
  std::vector<int32_t> eos_token_ids;  // that end an answer

  static ModelFiles load(const Path& folder);
};

/// Writes a Hugging Face folder of the model with the text files of `files`, at once.
void save_model(const models::Model& model, const ModelFiles& files, const Path& folder);

/// Where a run stands: the next step and whatever the trainer needs to continue (data order …).
struct TrainState {
  int64_t next_step = 0;
  Json trainer;
};

/// Saves `folder`/checkpoints/step-N: the Hugging Face folder, optimizer.safetensors and state.json
/// with the SHA-256 of each file, as one atomic rename; then removes all but the last `keep`.
void save_checkpoint(const Path& run_folder, const models::Model& model, const ModelFiles& files,
                     const AdamW& optimizer, const TrainState& state, int64_t keep);

/// The newest checkpoint of a run, or nothing.
std::optional<Path> find_checkpoint(const Path& run_folder);

/// Checks the hashes of a checkpoint and gives its state; a file that changed is an input error
/// that names it.
TrainState read_checkpoint(const Path& checkpoint);

/// Fills the optimizer (made over the checkpoint's model) with its master weights and moments, and
/// sets the weights' epoch.
void load_optimizer(const Path& checkpoint, AdamW& optimizer, nn::Weights& weights);

}  // namespace hone::train
