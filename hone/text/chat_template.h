#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json.h"
#include "hone/text/tokenizer.h"

namespace hone::text {

/// A rendered conversation.
struct RenderedChat {
  std::string text;
  std::vector<ByteSpan> assistant;  // bytes inside {% generation %} … {% endgeneration %}
  std::vector<ByteSpan> untrusted;  // bytes that came from strings of the messages and tools
};

/// What a template sees besides `messages`.
struct ChatInput {
  Json messages;  // [{"role", "content", …}]
  Json tools;     // null or a list of JSON schemas
  bool add_generation_prompt = false;
  Json variables;           // bos_token, eos_token, chat_template_kwargs …; an object or null
  int64_t now_seconds = 0;  // what strftime_now formats (UTC)
};

/// A Jinja template as Hugging Face configures it: trim_blocks, lstrip_blocks, loopcontrols,
/// tojson without HTML escaping, raise_exception, strftime_now, {% generation %}. Steps, recursion
/// and output are limited, so a hostile template ends in an input error.
class ChatTemplate {
 public:
  /// An input error names line and column of what does not parse.
  static ChatTemplate parse(std::string_view source);
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  RenderedChat render(const ChatInput& input) const;

 private:
  struct State;
  explicit ChatTemplate(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

/// Ids of a conversation and, for each, whether it lies inside an assistant span.
struct EncodedChat {
  std::vector<int32_t> ids;
  std::vector<uint8_t> assistant_mask;
};

/// Renders and encodes without added special tokens (the template writes them); strings of the
/// messages never become special tokens.
EncodedChat encode_chat(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                        const ChatInput& input);

}  // namespace hone::text
