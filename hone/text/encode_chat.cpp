#include <algorithm>

#include "hone/text/chat_template.h"

namespace hone::text {

EncodedChat encode_chat(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                        const ChatInput& input) {
  const RenderedChat chat = chat_template.render(input);
  const Encoding encoding = tokenizer.encode_with_offsets(chat.text, false, chat.untrusted);
  EncodedChat encoded{.ids = encoding.ids, .assistant_mask = {}};
  for (const ByteSpan token : encoding.offsets) {
    const bool inside = std::any_of(
        chat.assistant.begin(), chat.assistant.end(),
        [&](ByteSpan span) { return token.begin >= span.begin && token.begin < span.end; });
    encoded.assistant_mask.push_back(inside);
  }
  return encoded;
}

}  // namespace hone::text
