#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/text/json_fields.h"

namespace hone::text {

/// One step from tokens to text; a step may change, join or drop tokens.
class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

/// How much of a decoder's output later tokens may still change.
enum class Holdback {
  none,         // nothing
  utf8,         // an incomplete character at the end: the decoder is ByteLevel alone
  byte_tokens,  // a run of <0x..> tokens at the end
  everything
};

/// The steps of a `decoder` section, sequences unrolled; without steps tokens are joined by spaces.
struct Decoder {
  std::vector<std::unique_ptr<DecoderStep>> steps;
  Holdback holdback = Holdback::none;
  std::string decode(std::vector<std::string> tokens) const;
};
Decoder make_decoder(const Fields& json);

/// The byte of a token <0x00> to <0xFF>, or -1.
int byte_of_token(std::string_view token);

/// The bytes that a byte-level token stands for; a token that is no alias string stands for itself.
std::string byte_level_bytes(const std::string& token);

}  // namespace hone::text
