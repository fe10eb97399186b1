#include <algorithm>

#include "hone/text/jinja_case.h"
#include "hone/text/jinja_filters.h"
#include "hone/text/jinja_format.h"
#include "hone/text/jinja_methods.h"
#include "hone/text/jinja_number.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

/// str(value), which is no Markup.
Text plain(const Value& value) {
  Text text = print(value);
  text.markup = false;
  return text;
}

template <Text (*change)(const Text&)>
Value changed(Context&, const Bound& a) {
  return change(print(a[0]));
}

Value to_text(Context&, const Bound& a) {
  return print(a[0]);
}

Value safe(Context&, const Bound& a) {
  Text text = print(a[0]);
  text.markup = true;
  return text;
}

Value escape_again(Context&, const Bound& a) {
  return escape_html(plain(a[0]));
}

Value trim(Context&, const Bound& a) {
  const bool given = a.has(1) && !a[1].is_none();
  return strip(print(a[0]), given ? &a.text(1) : nullptr, Side::both);
}

Value replace_all(Context&, const Bound& a) {
  return replace(plain(a[0]), plain(a[1]), plain(a[2]), a.integer(3, -1));
}

/// Jinja's title: a capital after white space, '-' and opening brackets.
Value title_words(Context&, const Bound& a) {
  const Text text = print(a[0]), capitals = upper(text), small = lower(text);
  if (capitals.size() != text.size() || small.size() != text.size()) return title(text);
  Text result;
  result.markup = text.markup;
  bool first = true;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text.bytes(), at);
    result.append(first ? capitals : small, at, at + c.size);
    first =
        is_space(c.code) || std::u32string_view(U"-({[<").find(c.code) != std::u32string_view::npos;
    at += c.size;
  }
  return result;
}

Value center(Context& context, const Bound& a) {
  const Value method = *find_method(print(a[0]), "center");
  return call_value(method, context, {.positional = {a.integer(1, 80)}, .named = {}});
}

Value indent(Context&, const Bound& a) {
  const Text* given = a.has(1) ? a[1].text() : nullptr;
  const int64_t width = given ? 0 : std::clamp<int64_t>(a.integer(1, 4), 0, kMaxTextBytes);
  const Text margin = given ? *given : Text(std::string(width, ' '));
  Text text = a.text(0);
  text.append("\n");
  Text result;
  result.markup = text.markup;
  if (a.flag(2)) result.append(margin);
  const Values lines = split_lines(text, false);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Text& line = *lines[i].text();
    if (i > 0) result.append("\n");
    if (i > 0 && (a.flag(3) || !line.empty())) result.append(margin);
    result.append(line);
  }
  return result;
}

Value truncate(Context&, const Bound& a) {
  const Text end = a.has(3) ? a.text(3) : Text("...");
  const int64_t length = a.integer(1, 255), leeway = a.integer(4, 5);
  const auto end_length = static_cast<int64_t>(count_characters(end.bytes()));
  HONE_CHECK(length >= end_length && leeway >= 0, "truncate: the length is below that of the end");
  if (jinja::length(a[0]) <= length + leeway) return a[0];
  const Text& text = a.text(0);
  Text result = text.slice(0, byte_offset(text.bytes(), length - end_length));
  const Text space(" ");
  if (!a.flag(2)) result = *split_right(result, &space, 1)[0].text();
  result.append(end);
  return result;
}

Value count_words(Context&, const Bound& a) {
  const Text text = print(a[0]);
  int64_t count = 0;
  bool within = false;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text.bytes(), at);
    const bool word = c.code == '_' || is_alpha(c.code) || is_numeric(c.code);
    count += word && !within;
    within = word;
    at += c.size;
  }
  return count;
}

Value format(Context&, const Bound& a) {
  const Values& values = a.rest.positional;
  if (a.rest.named.empty()) return format_percent(print(a[0]), make_tuple(values));
  HONE_CHECK(values.empty(), "format takes positional or named arguments, not both");
  Dict named;
  for (const auto& [name, value] : a.rest.named) named.set(name, value);
  return format_percent(print(a[0]), make_dict(std::move(named)));
}

Text quote_url(const Text& text, bool query) {
  return map_characters(text, [&](Character c, size_t at) -> std::string {
    const bool safe =
        c.code < 0x80 &&
        (std::isalnum(c.code) || std::string_view("_.-~").find(c.code) != std::string_view::npos ||
         (c.code == '/' && !query));
    if (safe) return {static_cast<char>(c.code)};
    if (query && c.code == ' ') return "+";
    std::string bytes;
    for (const char byte : text.bytes().substr(at, c.size)) {
      bytes += fmt::format("%{:02X}", static_cast<uint8_t>(byte));
    }
    return bytes;
  });
}

Value encode_url(Context&, const Bound& a) {
  if (a[0].text() || !is_iterable(a[0])) return quote_url(plain(a[0]), false);
  Text result;
  for (const Value& key : iterate(a[0])) {
    const Values pair = a[0].dict() ? Values{key, item(a[0], key)} : iterate(key);
    HONE_CHECK(pair.size() == 2, "urlencode needs pairs, but got {} values", pair.size());
    if (!result.empty()) result.append("&");
    result.append(quote_url(plain(pair[0]), true));
    result.append("=");
    result.append(quote_url(plain(pair[1]), true));
  }
  return result;
}

Value to_integer(Context&, const Bound& a) {
  const Value fallback = a.has(1) ? a[1] : Value(0);
  return parse_integer(a[0], a[0].text() ? a.integer(2, 10) : 10).value_or(fallback);
}

Value to_float(Context&, const Bound& a) {
  const Value fallback = a.has(1) ? a[1] : Value(0.0);
  const auto number = parse_float(a[0]);
  return number ? Value(*number) : fallback;
}

Value absolute(Context&, const Bound& a) {
  HONE_CHECK(a[0].is_number(), "abs needs a number, but got '{}'", type_name(a[0]));
  if (a[0].is_float()) return std::abs(a[0].as_float());
  return a[0].as_int() < 0 ? negate(a[0], true) : Value(a[0].as_int());
}

Value rounded(Context&, const Bound& a) {
  const std::string method = a.has(2) ? a.text(2).bytes() : "common";
  return round_number(a[0], a.integer(1, 0), method);
}

constexpr Function kTextFilters[] = {
    {"abs", "_", absolute},
    {"capitalize", "s", changed<capitalize>},
    {"center", "value width?", center},
    {"e", "_", changed<escape_html>},
    {"escape", "_", changed<escape_html>},
    {"float", "value default?", to_float},
    {"forceescape", "value", escape_again},
    {"format", "value * **", format},
    {"indent", "s width? first? blank?", indent},
    {"int", "value default? base?", to_integer},
    {"lower", "s", changed<lower>},
    {"replace", "s old new count?", replace_all},
    {"round", "value precision? method?", rounded},
    {"safe", "value", safe},
    {"string", "_", to_text},
    {"title", "s", title_words},
    {"trim", "value chars?", trim},
    {"truncate", "s length? killwords? end? leeway?", truncate},
    {"upper", "s", changed<upper>},
    {"urlencode", "value", encode_url},
    {"wordcount", "s", count_words},
};

}  // namespace

std::span<const Function> text_filters() {
  return kTextFilters;
}

}  // namespace hone::text::jinja
