#include "hone/train/sft_data.h"

#include <algorithm>

#include "hone/base/log.h"
#include "hone/base/rng.h"

namespace hone::train {
namespace {

text::ChatInput chat_input(const data::Conversation& conversation, const ModelFiles& files,
                           size_t message_count, bool generation_prompt) {
  Json messages = Json::array();
  for (size_t i = 0; i < message_count; ++i) messages.push_back(conversation.messages[i]);
  return {.messages = std::move(messages),
          .tools = conversation.tools,
          .add_generation_prompt = generation_prompt,
          .variables = files.template_variables};
}

/// The bytes of the assistant's answers in `whole`, by rendering prefixes of the conversation.
std::vector<text::ByteSpan> answer_spans(const data::Conversation& conversation,
                                         const ModelFiles& files, const std::string& whole,
                                         const std::string& place) {
  std::vector<text::ByteSpan> spans;
  const auto render = [&](size_t count, bool prompt) {
    return files.chat_template.render(chat_input(conversation, files, count, prompt)).text;
  };
  for (size_t m = conversation.learn_from; m < conversation.messages.size(); ++m) {
    if (conversation.messages[m].at("role") != "assistant") continue;
    const std::string before = render(m, true), after = render(m + 1, false);
    HONE_CHECK(after.starts_with(before) && whole.starts_with(after),
               "{}: the chat template rewrites earlier messages (it renders message {} differently "
               "alone), so the answer's tokens cannot be told; mark the answers in the template "
               "with {{% generation %}} … {{% endgeneration %}}",
               place, m + 1);
    spans.push_back({static_cast<int64_t>(before.size()), static_cast<int64_t>(after.size())});
  }
  return spans;
}

bool inside(text::ByteSpan token, const std::vector<text::ByteSpan>& spans) {
  return std::any_of(spans.begin(), spans.end(), [&](text::ByteSpan span) {
    return token.begin >= span.begin && token.begin < span.end;
  });
}

bool trains_stop(const SftSample& sample, const std::vector<int32_t>& stops) {
  for (size_t t = 0; t < sample.tokens.size(); ++t) {
    if (sample.trained[t] &&
        std::find(stops.begin(), stops.end(), sample.tokens[t]) != stops.end()) {
      return true;
    }
  }
  return false;
}

std::vector<SftSample> encode_all(const SftConfig& config, const ModelFiles& files) {
  std::vector<SftSample> samples;
  int64_t dropped = 0, without_stop = 0, line = 0;
  for (const auto& conversation : data::load_conversations(config.data.file)) {
    const std::string place = fmt::format("{}, conversation {}", config.data.file.string(), ++line);
    SftSample sample = encode_conversation(conversation, files, config.data.train_on, place);
    if (static_cast<int64_t>(sample.tokens.size()) > config.data.max_length) {
      HONE_CHECK(config.data.overlong == Overlong::drop,
                 "{}: it has {} tokens, more than data.max_length = {}; raise it or set "
                 "data.overlong = \"drop\"",
                 place, sample.tokens.size(), config.data.max_length);
      ++dropped;
      continue;
    }
    HONE_CHECK(sample.trained_count() > 0, "{}: none of its tokens would be trained", place);
    without_stop += !trains_stop(sample, files.eos_token_ids);
    samples.push_back(std::move(sample));
  }
  if (dropped > 0) log::warn("{} conversations above data.max_length were dropped", dropped);
  HONE_CHECK(!samples.empty(), "{}: no conversation is left", config.data.file.string());
  HONE_CHECK(files.eos_token_ids.empty() || without_stop < static_cast<int64_t>(samples.size()),
             "{}: in no conversation is an end token trained, so the model would never learn to "
             "stop; let the template write the end of turn inside the answer, or name that token "
             "as eos_token_id in generation_config.json",
             config.data.file.string());
  return samples;
}

}  // namespace

int64_t SftSample::trained_count() const {
  return std::count_if(trained.begin(), trained.end(), [](uint8_t t) { return t != 0; });
}

SftSample encode_conversation(const data::Conversation& conversation, const ModelFiles& files,
                              TrainOn train_on, const std::string& place) {
  const auto input = chat_input(conversation, files, conversation.messages.size(), false);
  const auto chat = files.chat_template.render(input);
  const auto encoding = files.tokenizer.encode_with_offsets(chat.text, false, chat.untrusted);
  SftSample sample{.tokens = encoding.ids, .trained = {}};
  std::vector<text::ByteSpan> spans = chat.assistant;
  if (train_on == TrainOn::assistant && spans.empty()) {
    spans = answer_spans(conversation, files, chat.text, place);
  }
  for (size_t t = 0; t < sample.tokens.size(); ++t) {
    sample.trained.push_back(t > 0 &&
                             (train_on == TrainOn::all || inside(encoding.offsets[t], spans)));
  }
  return sample;
}

data::DataIdentity SftData::identity() const {
  std::string bytes;
  for (const auto& sample : train) {
    bytes.append(reinterpret_cast<const char*>(sample.tokens.data()), 4 * sample.tokens.size());
    bytes.append(reinterpret_cast<const char*>(sample.trained.data()), sample.trained.size());
  }
  return {.count = static_cast<int64_t>(train.size()), .fingerprint = sha256(bytes)};
}

SftData load_sft_data(const SftConfig& config, const ModelFiles& files) {
  std::vector<SftSample> samples = encode_all(config, files);
  HONE_CHECK(config.data.held_out < static_cast<int64_t>(samples.size()),
             "data.held_out is {}, but there are only {} conversations", config.data.held_out,
             samples.size());
  SftData data;
  for (size_t i = 0; i < samples.size(); ++i) {
    const uint64_t place = permuted({.seed = config.seed}, i, samples.size());
    const bool held = place < static_cast<uint64_t>(config.data.held_out);
    (held ? data.held_out : data.train).push_back(std::move(samples[i]));
  }
  return data;
}

}  // namespace hone::train
