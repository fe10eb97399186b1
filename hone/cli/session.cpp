#include "hone/cli/session.h"

#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>

#include "hone/base/cpu.h"
#include "hone/base/threads.h"

namespace hone::cli {
namespace {

at::ScalarType scalar_type(const std::string& name) {
  HONE_CHECK(name == "bf16" || name == "f32", "--dtype must be bf16 or f32, but it is '{}'", name);
  return name == "f32" ? at::kFloat : at::kBFloat16;
}

}  // namespace

void ModelOptions::add_to(CLI::App& app) {
  app.add_option("-m,--model", path, "Hugging Face folder of the model")->required();
  app.add_option("--dtype", dtype, "type of weights and cache: bf16 or f32")->capture_default_str();
  app.add_option("--device", device, "cpu, cuda, cuda:1, npu …")->capture_default_str();
  app.add_option("--kv-mib", kv_mib, "MiB of key-value cache")->capture_default_str();
  app.add_option("--threads", threads, "CPU threads; 0: all that may be used")
      ->capture_default_str();
}

Session::Session(const ModelOptions& options) : files(train::ModelFiles::load(options.path)) {
  set_threads(options.threads);
  model =
      models::Model::load(options.path, {scalar_type(options.dtype), at::Device(options.device)});
  const auto& decoder = model->decoder();
  engine = std::make_unique<runner::Engine>(
      decoder, model->weights(),
      engine::SchedulerLimits{
          .max_sequence_tokens = decoder.config().max_positions,
          .kv_blocks = runner::kv_blocks_for(decoder, options.kv_mib * (int64_t{1} << 20))});
}

void set_threads(int count) {
  const int threads = count > 0 ? count : usable_core_count();
  at::set_num_threads(threads);
  ThreadPool::set_global_thread_count(threads);
}

}  // namespace hone::cli
