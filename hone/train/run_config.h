#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/check.h"
#include "hone/train/optimizer.h"
#include "hone/train/schedule.h"

/// The parts of a run file that all trainers share; each trainer adds its own tables.
namespace hone::train {

enum class WeightType { bf16, f32 };

constexpr std::array<std::pair<WeightType, const char*>, 2> enum_names(WeightType) {
  return {{{WeightType::bf16, "bf16"}, {WeightType::f32, "f32"}}};
}

struct ModelOptions {
  std::filesystem::path path;
  WeightType dtype = WeightType::bf16;
  std::string device = "cpu";

  static void fields(auto&& self, auto&& visit) {
    visit("path", self.path, "Hugging Face folder of the model to train");
    visit("dtype", self.dtype, "type of weights, matrix inputs and cached keys and values");
    visit("device", self.device, "where the model lives: cpu, cuda, cuda:1, npu …");
  }
};

struct StepOptions {
  int64_t steps = 100;
  int64_t max_tokens_per_micro_batch = 4096;
  bool recompute = false;

  static void fields(auto&& self, auto&& visit) {
    visit("steps", self.steps, "training steps of the whole run");
    visit("max_tokens_per_micro_batch", self.max_tokens_per_micro_batch,
          "tokens of one forward and backward; bounds memory, never changes the loss");
    visit("recompute", self.recompute,
          "keep only each layer's input for the backward: less memory, one more forward");
  }
};

struct CheckpointOptions {
  int64_t every = 0;
  int64_t keep = 2;

  static void fields(auto&& self, auto&& visit) {
    visit("every", self.every, "steps between checkpoints; 0: only at the end");
    visit("keep", self.keep, "checkpoints kept; the oldest goes when a newer one is safe");
  }
};

/// What every run file holds.
struct RunOptions {
  std::string method;
  std::filesystem::path output = "runs/default";
  uint64_t seed = 0;
  int32_t threads = 0;
  ModelOptions model;
  OptimizerConfig optim;
  ScheduleConfig schedule;
  StepOptions train;
  CheckpointOptions checkpoint;

  static void fields(auto&& self, auto&& visit) {
    visit("method", self.method, "sft or grpo");
    visit("output", self.output, "folder of the run: log, samples, checkpoints, final model");
    visit("seed", self.seed, "names all random numbers of the run");
    visit("threads", self.threads, "CPU threads; 0: all that the process may use");
    visit("model", self.model, "the model");
    visit("optim", self.optim, "the optimizer");
    visit("schedule", self.schedule, "the learning rate over steps");
    visit("train", self.train, "steps and micro-batches");
    visit("checkpoint", self.checkpoint, "checkpoints");
  }
  /// Throws an input error that names the key to change.
  void check() const {
    HONE_CHECK(!model.path.empty(), "model.path must name the folder of a model; it is empty");
    HONE_CHECK(train.steps > 0, "train.steps must be positive, but it is {}", train.steps);
    HONE_CHECK(train.max_tokens_per_micro_batch > 0,
               "train.max_tokens_per_micro_batch must be positive, but it is {}",
               train.max_tokens_per_micro_batch);
    HONE_CHECK(checkpoint.every >= 0 && checkpoint.keep >= 1,
               "checkpoint.every must not be negative and checkpoint.keep at least 1, but they are "
               "{} and {}",
               checkpoint.every, checkpoint.keep);
    HONE_CHECK(optim.lr >= 0, "optim.lr must not be negative, but it is {}", optim.lr);
  }
};

}  // namespace hone::train
