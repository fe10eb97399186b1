#include <cmath>

#include "hone/text/jinja_value.h"
#include "hone/text/unicode.h"

namespace hone::text::jinja {
namespace {

/// repr(float) of Python: the shortest digits, with an exponent outside [1e-4, 1e16).
std::string print_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  const double magnitude = std::abs(number);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    std::string text = fmt::format("{}", number);
    if (text.find('e') != std::string::npos) return text;
    return fmt::format("{:e}", number);
  }
  std::string text = fmt::format("{}", number);
  return text.find('.') == std::string::npos && text.find('e') == std::string::npos ? text + ".0"
                                                                                    : text;
}

Text quote(const Text& text) {
  const bool has_single = text.bytes.find('\'') != std::string::npos;
  const char quote = has_single && text.bytes.find('"') == std::string::npos ? '"' : '\'';
  Text result(std::string(1, quote));
  for (size_t i = 0; i < text.bytes.size(); ++i) {
    const char c = text.bytes[i], mark = text.marks[i];
    switch (c) {
      case '\n':
        result += Text("\\n", mark);
        break;
      case '\r':
        result += Text("\\r", mark);
        break;
      case '\t':
        result += Text("\\t", mark);
        break;
      case '\\':
        result += Text("\\\\", mark);
        break;
      default:
        if (c == quote) result += Text("\\", mark);
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          result += Text(fmt::format("\\x{:02x}", static_cast<unsigned char>(c)), mark);
        } else {
          result += text.substr(i, 1);
        }
    }
  }
  return result += Text(std::string(1, quote));
}

Text json_string(const Text& text, bool ensure_ascii) {
  Text result("\"");
  for (size_t i = 0; i < text.bytes.size();) {
    const Decoded point = decode_at(text.bytes, static_cast<int64_t>(i));
    const char mark = text.marks[i];
    const char32_t c = point.code;
    if (c == '"' || c == '\\') {
      result += Text(std::string("\\") + static_cast<char>(c), mark);
    } else if (c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') {
      const char letter = c == '\n'   ? 'n'
                          : c == '\r' ? 'r'
                          : c == '\t' ? 't'
                          : c == '\b' ? 'b'
                                      : 'f';
      result += Text(std::string("\\") + letter, mark);
    } else if (c < 0x20 || (ensure_ascii && c > 0x7e && c < 0x10000)) {
      result += Text(fmt::format("\\u{:04x}", static_cast<uint32_t>(c)), mark);
    } else if (ensure_ascii && c >= 0x10000) {
      const uint32_t v = static_cast<uint32_t>(c) - 0x10000;
      result +=
          Text(fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (v >> 10), 0xDC00 + (v & 0x3FF)), mark);
    } else {
      result += text.substr(i, point.size);
    }
    i += point.size;
  }
  return result += Text("\"");
}

struct JsonPrinter {
  int indent;
  bool sort_keys, ensure_ascii;

  Text print(const Value& value, int depth) const {
    if (value.is_none()) return Text("null");
    if (const auto* flag = value.get<bool>()) return Text(*flag ? "true" : "false");
    if (const auto* text = value.text()) return json_string(*text, ensure_ascii);
    if (const auto* list = value.list()) return print_items(*list, depth);
    if (const auto* dict = value.dict()) return print_dict(*dict, depth);
    if (value.is_number()) return jinja::print(value);
    fail_template("a {} cannot be written as JSON", type_name(value));
  }

  Text separator(int depth) const {
    return indent < 0 ? Text() : Text("\n" + std::string(indent * depth, ' '));
  }

  Text print_items(const List& list, int depth) const {
    if (list.empty()) return Text("[]");
    Text result("[");
    for (size_t i = 0; i < list.size(); ++i) {
      if (i) result += Text(indent < 0 ? ", " : ",");
      result += separator(depth + 1);
      result += print(list[i], depth + 1);
    }
    result += separator(depth);
    return result += Text("]");
  }

  Text print_dict(Dict dict, int depth) const {
    if (dict.empty()) return Text("{}");
    if (sort_keys) {
      std::stable_sort(dict.begin(), dict.end(),
                       [](auto& a, auto& b) { return a.first.bytes < b.first.bytes; });
    }
    Text result("{");
    for (size_t i = 0; i < dict.size(); ++i) {
      if (i) result += Text(indent < 0 ? ", " : ",");
      result += separator(depth + 1);
      result += json_string(dict[i].first, ensure_ascii);
      result += Text(": ");
      result += print(dict[i].second, depth + 1);
    }
    result += separator(depth);
    return result += Text("}");
  }
};

}  // namespace

Text print_json(const Value& value, int indent, bool sort_keys, bool ensure_ascii) {
  return JsonPrinter{indent, sort_keys, ensure_ascii}.print(value, 0);
}

Text print_quoted(const Value& value) {
  if (const auto* text = value.text()) return quote(*text);
  if (value.is_undefined()) return Text("Undefined");
  return print(value);
}

Text print(const Value& value) {
  if (const auto* text = value.text()) return *text;
  if (value.is_undefined()) return Text();
  if (value.is_none()) return Text("None");
  if (const auto* flag = value.get<bool>()) return Text(*flag ? "True" : "False");
  if (const auto* integer = value.get<int64_t>()) return Text(fmt::format("{}", *integer));
  if (const auto* number = value.get<double>()) return Text(print_float(*number));
  if (const auto* list = value.list()) {
    const bool tuple = value.is_tuple();
    Text result(tuple ? "(" : "[");
    for (size_t i = 0; i < list->size(); ++i) {
      if (i) result += Text(", ");
      result += print_quoted((*list)[i]);
    }
    if (tuple && list->size() == 1) result += Text(",");
    return result += Text(tuple ? ")" : "]");
  }
  if (const auto* dict = value.dict()) {
    Text result("{");
    for (size_t i = 0; i < dict->size(); ++i) {
      if (i) result += Text(", ");
      result += print_quoted((*dict)[i].first);
      result += Text(": ");
      result += print_quoted((*dict)[i].second);
    }
    return result += Text("}");
  }
  return Text(fmt::format("<{}>", type_name(value)));
}

}  // namespace hone::text::jinja
