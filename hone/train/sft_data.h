#pragma once

#include "hone/data/order.h"
#include "hone/data/sources.h"
#include "hone/train/checkpoint.h"
#include "hone/train/sft_config.h"

namespace hone::train {

/// A conversation as tokens; trained[i] != 0 where the loss counts token i (never the first).
struct SftSample {
  std::vector<int32_t> tokens;
  std::vector<uint8_t> trained;

  int64_t trained_count() const;
};

/// Tokens of a conversation and which of them are the assistant's: from {% generation %} spans
/// where the template has them, otherwise the difference between the conversation rendered up to
/// each answer, with its generation prompt, and rendered with the answer. The latter needs a
/// template that does not rewrite what came before; one that does is an input error with a remedy.
/// `place` names the conversation.
SftSample encode_conversation(const data::Conversation& conversation, const ModelFiles& files,
                              TrainOn train_on, const std::string& place);

/// The conversations of a run: those to train on and those held out.
struct SftData {
  std::vector<SftSample> train, held_out;

  /// Their number and the hash of their tokens.
  data::DataIdentity identity() const;
};

/// Loads and encodes data.file. Input errors: a conversation that is too long, one without a
/// trained token, and a template under which no end-of-turn token is ever trained, so that the
/// model would not learn to stop.
SftData load_sft_data(const SftConfig& config, const ModelFiles& files);

}  // namespace hone::train
