#include "hone/train/dry_run.h"

#include "hone/train/sft_data.h"

namespace hone::train {

std::string marked_text(const text::Tokenizer& tokenizer, std::span<const int32_t> tokens,
                        std::span<const uint8_t> trained) {
  std::string out;
  text::StreamDecoder decoder(tokenizer, false);
  bool inside = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if ((trained[i] != 0) != inside) out += inside ? "»" : "«";
    inside = trained[i] != 0;
    out += decoder.push(tokens[i]);
  }
  out += decoder.finish();
  return inside ? out + "»" : out;
}

std::string describe_model(const RunOptions& options, const models::Model& outline) {
  const auto& config = outline.decoder().config();
  const auto checkpoint = find_checkpoint(options.output);
  return fmt::format(
      "method  {}, {} steps, output {}{}\nmodel   {}: {:.1f} M parameters, {} layers of {}, "
      "vocabulary {}\n",
      options.method, options.train.steps, options.output.string(),
      checkpoint ? ", resumes from " + checkpoint->filename().string() : "",
      options.model.path.string(), static_cast<double>(outline.weights().parameter_count()) / 1e6,
      config.layers.size(), config.hidden, config.vocabulary);
}

std::string dry_run(const SftConfig& config) {
  const auto outline = outline_model(config);
  const MemoryPlan memory = plan_memory(config, *outline);
  check_memory(memory, "lower train.max_tokens_per_micro_batch or set train.recompute = true");
  const auto files = ModelFiles::load(config.model.path);
  const SftData data = load_sft_data(config, files);
  data::DataOrder order(data.identity(), config.seed);
  std::string batch;
  int64_t tokens = 0, trained = 0, number = 0;
  for (int64_t item : order.next_batch(config.batch_size)) {
    const SftSample& sample = data.train[item];
    tokens += static_cast<int64_t>(sample.tokens.size());
    trained += sample.trained_count();
    batch += fmt::format("--- {}: {} tokens\n{}\n", ++number, sample.tokens.size(),
                         marked_text(files.tokenizer, sample.tokens, sample.trained));
  }
  return describe_model(config, *outline) +
         fmt::format("data    {}: {} conversations, {} held out\nmemory\n{}",
                     config.data.file.string(), data.train.size(), data.held_out.size(),
                     memory.table()) +
         fmt::format("first step: {} conversations, {} tokens, {} of them trained («»)\n{}",
                     config.batch_size, tokens, trained, batch);
}

}  // namespace hone::train
