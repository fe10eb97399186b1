#include "hone/text/chat_template.h"

namespace hone::text {

EncodedChat encode_chat(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                        const ChatInput& input) {
  const RenderedChat chat = chat_template.render(input);
  Encoding encoding = tokenizer.encode_with_offsets(chat.text, false, chat.untrusted);
  EncodedChat encoded{.ids = std::move(encoding.ids), .assistant_mask = {}};
  auto span = chat.assistant.begin();
  for (const ByteSpan& token : encoding.offsets) {
    while (span != chat.assistant.end() && span->end <= token.begin) ++span;
    const bool inside = span != chat.assistant.end() && span->begin < token.end;
    encoded.assistant_mask.push_back(inside);
  }
  return encoded;
}

}  // namespace hone::text
