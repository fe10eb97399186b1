#include "hone/runner/engine.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include "hone/base/threads.h"
#include "hone/engine/sampler.h"
#include "hone/ops/head.h"
#include "hone/tensor/dtype.h"

namespace hone::runner {
namespace {

using engine::Choice;
using engine::Draw;
using engine::Sample;
using engine::ScheduledStep;

/// The batch row of the last token of each run.
std::vector<int64_t> last_rows(const ScheduledStep& step) {
  std::vector<int64_t> rows;
  int64_t end = 0;
  for (const auto& run : step.runs) rows.push_back((end += run.token_count) - 1);
  return rows;
}

std::vector<Choice> choose_tokens(const std::vector<Draw>& draws, const at::Tensor& logits_RV) {
  const float* logits = float_data(logits_RV);
  const auto vocabulary = static_cast<size_t>(logits_RV.size(1));
  std::vector<Choice> choices(draws.size());
  ThreadPool::global().parallel_for(static_cast<int64_t>(draws.size()), [&](int64_t i) {
    const auto& sequence = *draws[i].sequence;
    choices[i] = engine::choose_token({logits + i * vocabulary, vocabulary}, sequence.params(),
                                      sequence.history(), sequence.uniform());
  });
  return choices;
}

/// log softmax(logits * inverse_temperature)[token] of each draw, by the trainer's own arithmetic.
std::vector<float> score(const at::Tensor& logits_RV, const std::vector<int32_t>& tokens,
                         const std::vector<float>& inverse_temperatures) {
  const at::Tensor log_probs = ops::log_probs_of_logits(logits_RV, at::tensor(tokens, at::kInt),
                                                        at::tensor(inverse_temperatures));
  const float* data = float_data(log_probs);
  return {data, data + tokens.size()};
}

std::vector<Sample> make_samples(const std::vector<Draw>& draws, const at::Tensor& logits_RV) {
  const std::vector<Choice> choices = choose_tokens(draws, logits_RV);
  std::vector<int32_t> tokens;
  std::vector<float> inverse_temperatures;
  for (size_t i = 0; i < draws.size(); ++i) {
    const float temperature = draws[i].sequence->params().temperature;
    tokens.push_back(std::max(choices[i].token, 0));
    inverse_temperatures.push_back(temperature > 0 ? 1 / temperature : 1);
  }
  const auto raw = score(logits_RV, tokens, std::vector<float>(tokens.size(), 1));
  const bool plain = std::all_of(inverse_temperatures.begin(), inverse_temperatures.end(),
                                 [](float t) { return t == 1; });
  const auto scaled = plain ? raw : score(logits_RV, tokens, inverse_temperatures);
  std::vector<Sample> samples;
  for (size_t i = 0; i < draws.size(); ++i) {
    samples.push_back({choices[i].token, choices[i].log_prob.value_or(scaled[i]), raw[i]});
  }
  return samples;
}

}  // namespace

Engine::Engine(const nn::Decoder& decoder, const nn::Weights& weights,
               const engine::SchedulerLimits& limits)
    : decoder_(decoder), weights_(weights), scheduler_(limits) {
  const auto layer_count = static_cast<int64_t>(decoder.config().layers.size());
  for (int64_t layer = 0; layer < layer_count; ++layer) {
    cache_.push_back(
        ops::make_kv_blocks(decoder.attention_shape(layer), limits.kv_blocks, weights.device()));
  }
}

nn::Batch Engine::make_batch(const ScheduledStep& step) const {
  std::vector<int32_t> tokens, positions;
  auto plan = std::make_shared<ops::AttentionPlan>();
  for (const auto& run : step.runs) {
    const auto begin = static_cast<int64_t>(tokens.size());
    const auto& blocks = run.sequence->blocks;
    for (int64_t i = 0; i < run.token_count; ++i) {
      const int64_t position = run.first_position + i;
      plan->writes.push_back({static_cast<int32_t>(tokens.size()),
                              blocks[position / kernels::kKvBlockTokens],
                              static_cast<int32_t>(position % kernels::kKvBlockTokens)});
      tokens.push_back(run.sequence->token_ids[position]);
      positions.push_back(static_cast<int32_t>(position));
    }
    plan->block_tables.push_back(blocks);
    plan->spans.push_back({begin, run.token_count, run.first_position, nullptr});
  }
  for (size_t s = 0; s < plan->spans.size(); ++s) {
    plan->spans[s].blocks = plan->block_tables[s].data();
  }
  return {at::tensor(tokens, at::kInt).to(weights_.device()),
          at::tensor(positions, at::kInt).to(weights_.device()), plan};
}

void Engine::copy_blocks(const std::vector<engine::BlockCopy>& copies) {
  for (const auto& copy : copies) {
    for (auto& layer : cache_) {
      layer.k.select(0, copy.destination).copy_(layer.k.select(0, copy.source));
      layer.v.select(0, copy.destination).copy_(layer.v.select(0, copy.source));
    }
  }
}

std::vector<Sample> Engine::draw(const ScheduledStep& step, const at::Tensor& hidden_TD) {
  if (step.draws.empty()) return {};
  const auto last = last_rows(step);
  std::vector<int64_t> rows;
  for (const auto& draw : step.draws) rows.push_back(last[draw.run]);
  const at::Tensor picked_RD =
      at::index_select(hidden_TD, 0, at::tensor(rows, at::kLong).to(hidden_TD.device()));
  const at::Tensor logits_RV =
      ops::logits(picked_RD, decoder_.head(), decoder_.config().head).to(at::kCPU);
  return make_samples(step.draws, logits_RV);
}

std::vector<std::unique_ptr<engine::Sequence>> Engine::step(const OnToken& on_token) {
  const at::NoGradGuard no_grad;
  const auto epoch = static_cast<uint64_t>(weights_.epoch());
  if (scheduler_.pool().epoch() != epoch) scheduler_.set_epoch(epoch);
  const ScheduledStep step = scheduler_.schedule();
  if (!step.empty()) {
    copy_blocks(step.copies);
    const at::Tensor hidden_TD = decoder_.forward(make_batch(step), &cache_);
    scheduler_.on_step_done(draw(step, hidden_TD));
    if (on_token) {
      for (const auto& draw : step.draws) on_token(*draw.sequence);
    }
  }
  return scheduler_.take_finished();
}

std::vector<std::unique_ptr<engine::Sequence>> Engine::run(const OnToken& on_token) {
  std::vector<std::unique_ptr<engine::Sequence>> all;
  while (!idle()) {
    for (auto& sequence : step(on_token)) all.push_back(std::move(sequence));
  }
  return all;
}

int64_t kv_blocks_for(const nn::Decoder& decoder, int64_t bytes) {
  int64_t block_bytes = 0;
  for (size_t layer = 0; layer < decoder.config().layers.size(); ++layer) {
    const auto shape = decoder.attention_shape(static_cast<int64_t>(layer));
    block_bytes += 2 * kernels::size_of(shape.type) * shape.kv_heads * shape.head_dim *
                   kernels::kKvBlockTokens;
  }
  return std::max<int64_t>(1, bytes / block_bytes);
}

}  // namespace hone::runner
