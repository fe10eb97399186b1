#include "hone/text/chat_template.h"

#include <ctime>

#include "hone/text/jinja_eval.h"

namespace hone::text {
namespace {

using jinja::Callable;
using jinja::List;
using jinja::Named;
using jinja::Value;

Value make_function(Callable function) {
  return std::make_shared<Callable>(std::move(function));
}

Value make_range(const List& arguments) {
  if (arguments.empty()) jinja::fail_template("range needs an argument");
  const auto argument = [&](size_t i) { return jinja::as_integer(arguments[i], "range"); };
  const int64_t begin = arguments.size() > 1 ? argument(0) : 0;
  const int64_t end = arguments.size() > 1 ? argument(1) : argument(0);
  const int64_t step = arguments.size() > 2 ? argument(2) : 1;
  if (step == 0) jinja::fail_template("range's step is 0");
  List values;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    if (values.size() >= 100000) jinja::fail_template("range has more than 100,000 elements");
    values.push_back(i);
  }
  return values;
}

std::string format_time(const std::string& format, int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char buffer[256];
  const size_t size = std::strftime(buffer, sizeof buffer, format.c_str(), &parts);
  return {buffer, size};
}

Named make_globals(const ChatInput& input) {
  Named globals;
  if (input.variables.is_object()) {
    for (const auto& [name, value] : input.variables.items()) {
      globals[name] = jinja::from_json(value, 0);
    }
  }
  globals["messages"] = jinja::from_json(input.messages, 1);
  globals["tools"] = jinja::from_json(input.tools, 1);
  globals["documents"] = jinja::None{};
  globals["add_generation_prompt"] = input.add_generation_prompt;
  globals["raise_exception"] = make_function([](const List& arguments, const Named&) -> Value {
    jinja::fail_template("{}", arguments.empty() ? "" : jinja::print(arguments[0]).bytes);
  });
  globals["strftime_now"] =
      make_function([now = input.now_seconds](const List& arguments, const Named&) -> Value {
        return format_time(arguments.empty() ? "" : jinja::print(arguments[0]).bytes, now);
      });
  globals["range"] = make_function(
      [](const List& arguments, const Named&) -> Value { return make_range(arguments); });
  globals["namespace"] = make_function([](const List&, const Named& named) -> Value {
    auto space = std::make_shared<jinja::Namespace>();
    space->members = named;
    return space;
  });
  globals["dict"] = make_function([](const List&, const Named& named) -> Value {
    jinja::Dict dict;
    for (const auto& [name, value] : named) dict.emplace_back(jinja::Text(name), value);
    return dict;
  });
  return globals;
}

/// Runs of marked bytes.
std::vector<ByteSpan> marked_spans(const std::string& marks) {
  std::vector<ByteSpan> spans;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    const auto place = static_cast<int64_t>(i);
    if (!spans.empty() && spans.back().end == place) {
      ++spans.back().end;
    } else {
      spans.push_back({place, place + 1});
    }
  }
  return spans;
}

}  // namespace

struct ChatTemplate::State {
  jinja::Block block;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const State> state) : state_(std::move(state)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

ChatTemplate ChatTemplate::parse(std::string_view source) {
  try {
    auto state = std::make_unique<State>();
    state->block = jinja::parse_template(source);
    return ChatTemplate(std::move(state));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("chat template, {}", error.what()));
  }
}

RenderedChat ChatTemplate::render(const ChatInput& input) const {
  const jinja::Output output = jinja::run(state_->block, make_globals(input));
  return {.text = output.text.bytes,
          .assistant = output.generation,
          .untrusted = marked_spans(output.text.marks)};
}

}  // namespace hone::text
