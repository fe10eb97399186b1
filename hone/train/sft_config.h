#pragma once

#include "hone/train/run_config.h"

namespace hone::train {

/// Which tokens of a conversation are trained.
enum class TrainOn { assistant, all };

constexpr std::array<std::pair<TrainOn, const char*>, 2> enum_names(TrainOn) {
  return {{{TrainOn::assistant, "assistant"}, {TrainOn::all, "all"}}};
}

/// What becomes of a conversation with more than max_length tokens.
enum class Overlong { error, drop };

constexpr std::array<std::pair<Overlong, const char*>, 2> enum_names(Overlong) {
  return {{{Overlong::error, "error"}, {Overlong::drop, "drop"}}};
}

/// The table [data] of an SFT run file.
struct SftDataOptions {
  std::filesystem::path file;
  int64_t held_out = 0;
  int64_t max_length = 1024;
  Overlong overlong = Overlong::error;
  TrainOn train_on = TrainOn::assistant;

  static void fields(auto&& self, auto&& visit) {
    visit("file", self.file, "JSON lines: messages, or prompt and completion");
    visit("held_out", self.held_out, "conversations kept for evaluation, drawn by the run's seed");
    visit("max_length", self.max_length, "longest conversation in tokens");
    visit("overlong", self.overlong, "what becomes of a longer one");
    visit("train_on", self.train_on, "tokens in the loss: the assistant's answers, or all");
  }
};

/// A run file of method "sft".
struct SftConfig : RunOptions {
  SftDataOptions data;
  int64_t batch_size = 16;
  int64_t eval_every = 0;

  static void fields(auto&& self, auto&& visit) {
    RunOptions::fields(self, visit);
    visit("data", self.data, "conversations");
    visit("batch_size", self.batch_size, "conversations of one optimizer step");
    visit("eval_every", self.eval_every, "steps between evaluations; 0: only at the end");
  }
  /// Throws an input error that names the key to change.
  void check() const {
    RunOptions::check();
    HONE_CHECK(!data.file.empty(), "data.file must name a JSON-lines file; it is empty");
    HONE_CHECK(batch_size > 0, "batch_size must be positive, but it is {}", batch_size);
    HONE_CHECK(data.max_length > 1, "data.max_length must be at least 2, but it is {}",
               data.max_length);
    HONE_CHECK(data.held_out >= 0, "data.held_out must not be negative, but it is {}",
               data.held_out);
  }
};

}  // namespace hone::train
