#include "hone/text/jinja_print.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hone/text/jinja_object.h"
#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

Text quote(const Text& text) {
  const std::string& bytes = text.bytes();
  const bool single = bytes.find('\'') == bytes.npos || bytes.find('"') != bytes.npos;
  const char quote_mark = single ? '\'' : '"';
  Text result(text.markup ? "Markup(" : "");
  result.append(std::string_view(&quote_mark, 1));
  result.append(map_characters(text, [&](Character c, size_t at) -> std::string {
    if (c.code == '\n') return "\\n";
    if (c.code == '\r') return "\\r";
    if (c.code == '\t') return "\\t";
    if (c.code == '\\' || c.code == quote_mark) return {'\\', static_cast<char>(c.code)};
    if (is_printable(c.code)) return bytes.substr(at, c.size);
    if (c.code < 0x100) return fmt::format("\\x{:02x}", c.code);
    return c.code < 0x10000 ? fmt::format("\\u{:04x}", c.code) : fmt::format("\\U{:08x}", c.code);
  }));
  result.append(std::string_view(&quote_mark, 1));
  if (text.markup) result.append(")");
  return result;
}

Text print_items(const Values& items, std::string_view open, std::string_view close) {
  Text result(open);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result.append(", ");
    result.append(print_quoted(items[i]));
  }
  result.append(close);
  return result;
}

Text print_sequence(const Sequence& sequence) {
  switch (sequence.kind) {
    case SequenceKind::list:
      return print_items(sequence.items, "[", "]");
    case SequenceKind::tuple:
      return print_items(sequence.items, "(", sequence.items.size() == 1 ? ",)" : ")");
    case SequenceKind::view:
      return print_items(sequence.items, sequence.label + "([", "])");
    case SequenceKind::range:
      return Text(sequence.label);
    case SequenceKind::iterator:
      break;
  }
  return Text(fmt::format("<{} object>", sequence.label));
}

Text print_dict(const Dict& dict) {
  Text result("{");
  for (const auto& [key, value] : dict.entries()) {
    if (result.size() > 1) result.append(", ");
    result.append(print_quoted(key));
    result.append(": ");
    result.append(print_quoted(value));
  }
  result.append("}");
  return result;
}

}  // namespace

std::string print_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[40];
  const double size = std::abs(number);
  // Python writes exponents only outside of [1e-4, 1e16).
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  std::string digits(buffer, std::to_chars(buffer, std::end(buffer), number, format).ptr);
  if (fixed && digits.find('.') == digits.npos) digits += ".0";
  return digits;
}

Text print(const Value& value) {
  if (const Text* text = value.text()) return *text;
  if (value.is_undefined()) return {};
  if (value.is_none()) return Text("None");
  if (value.is_bool()) return Text(value.as_int() ? "True" : "False");
  if (value.is_int()) return Text(fmt::format("{}", value.as_int()));
  if (value.is_float()) return Text(print_float(value.as_float()));
  if (const Sequence* sequence = value.sequence()) return print_sequence(*sequence);
  if (const Dict* dict = value.dict()) return print_dict(*dict);
  return value.object()->print();
}

Text print_quoted(const Value& value) {
  if (const Text* text = value.text()) return quote(*text);
  return value.is_undefined() ? Text("Undefined") : print(value);
}

namespace {

std::string unicode_escape(int32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const int32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

class JsonPrinter {
 public:
  explicit JsonPrinter(const JsonLayout& layout) : layout_(layout) {}

  Text print_value(const Value& value) {
    put(value);
    return std::move(out_);
  }

 private:
  void put(const Value& value) {
    if (const Text* text = value.text()) return put_string(*text);
    if (value.is_none() || value.is_number()) return out_.append(scalar(value));
    const Sequence* sequence = value.sequence();
    if (sequence && sequence->kind <= SequenceKind::tuple) return put_list(sequence->items);
    HONE_CHECK(value.dict(), "tojson: a value of type '{}' has no JSON form", type_name(value));
    put_dict(*value.dict());
  }

  static std::string scalar(const Value& value) {
    if (value.is_none()) return "null";
    if (value.is_bool()) return value.as_int() ? "true" : "false";
    if (value.is_int()) return std::to_string(value.as_int());
    const double number = value.as_float();
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    return print_float(number);
  }

  void put_string(const Text& text) {
    out_.append("\"");
    out_.append(map_characters(text, [&](Character c, size_t at) -> std::string {
      constexpr std::string_view kShort = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
      const size_t index = c.code < 0x80 ? kShort.find(static_cast<char>(c.code)) : kShort.npos;
      if (index != kShort.npos) return {'\\', kLetters[index]};
      if (c.code < 0x20 || (layout_.ensure_ascii && c.code > 0x7E)) return unicode_escape(c.code);
      return text.bytes().substr(at, c.size);
    }));
    out_.append("\"");
  }

  void start_line() {
    if (!layout_.has_indent) return;
    out_.append("\n");
    for (int i = 0; i < level_; ++i) out_.append(layout_.indent);
  }

  void put_list(const Values& items) {
    if (items.empty()) return out_.append("[]");
    out_.append("[");
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_.append(layout_.item_separator);
      start_line();
      put(items[i]);
    }
    --level_;
    start_line();
    out_.append("]");
  }

  void put_dict(const Dict& dict) {
    if (dict.entries().empty()) return out_.append("{}");
    std::vector<Dict::Entry> entries = dict.entries();
    if (layout_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return less(a.first, b.first); });
    }
    out_.append("{");
    ++level_;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_.append(layout_.item_separator);
      start_line();
      put_key(entries[i].first);
      out_.append(layout_.key_separator);
      put(entries[i].second);
    }
    --level_;
    start_line();
    out_.append("}");
  }

  void put_key(const Value& key) {
    if (const Text* text = key.text()) return put_string(*text);
    HONE_CHECK(key.is_none() || key.is_number(), "tojson: a key of type '{}' has no JSON form",
               type_name(key));
    put_string(Text(scalar(key)));
  }

  const JsonLayout& layout_;
  Text out_;
  int level_ = 0;
};

}  // namespace

Text print_json(const Value& value, const JsonLayout& layout) {
  return JsonPrinter(layout).print_value(value);
}

}  // namespace hone::text::jinja
