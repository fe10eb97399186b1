#include "hone/text/chat_template.h"

#include "hone/text/jinja_eval.h"
#include "hone/text/jinja_globals.h"
#include "hone/text/jinja_parser.h"

namespace hone::text {
namespace {

using namespace jinja;

/// Spans of the bytes that have `mark`.
std::vector<ByteSpan> marked_spans(const Text& text, Mark mark) {
  std::vector<ByteSpan> spans;
  int64_t begin = 0;
  for (const Run& run : text.runs()) {
    const auto end = static_cast<int64_t>(run.end);
    if (run.marks & mark) {
      if (!spans.empty() && spans.back().end == begin) {
        spans.back().end = end;
      } else {
        spans.push_back({begin, end});
      }
    }
    begin = end;
  }
  return spans;
}

ScopePtr make_scope(const ChatInput& input) {
  const auto scope = std::make_shared<Scope>();
  scope->variables = make_globals();
  const auto set = [&](const std::string& name, Value value) {
    scope->variables.insert_or_assign(name, std::move(value));
  };
  set("documents", None{});
  HONE_CHECK(input.variables.is_null() || input.variables.is_object(),
             "the variables of a chat template must be an object, but are '{}'",
             input.variables.type_name());
  for (const auto& [name, value] : input.variables.items()) {
    // Documents of a retrieval are text of others, as messages are.
    set(name, from_json(value, name == "documents" ? kUntrusted : kTrusted));
  }
  set("messages", from_json(input.messages, kUntrusted));
  set("tools", from_json(input.tools, kUntrusted));
  set("add_generation_prompt", input.add_generation_prompt);
  return scope;
}

}  // namespace

struct ChatTemplate::State {
  Body body;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const State> state) : state_(std::move(state)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

ChatTemplate ChatTemplate::parse(std::string_view source) {
  return ChatTemplate(std::make_unique<const State>(State{parse_template(source)}));
}

RenderedChat ChatTemplate::render(const ChatInput& input) const {
  Context context;
  context.now_seconds = input.now_seconds;
  const ScopePtr scope = make_scope(input);
  try {
    const Text text = Interpreter(context, scope).run(state_->body);
    return {.text = text.bytes(),
            .assistant = marked_spans(text, kAssistant),
            .untrusted = marked_spans(text, kUntrusted)};
  } catch (const Error& error) {
    // Filters and operators do not know where they are called.
    throw Error(error.kind(),
                fmt::format("chat template, line {}: {}", context.line, error.what()));
  }
}

}  // namespace hone::text
