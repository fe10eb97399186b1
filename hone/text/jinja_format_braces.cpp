#include <algorithm>

#include "hone/text/jinja_format.h"
#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

int64_t small_number(std::string_view digits) {
  HONE_CHECK(digits.size() <= 6, "{} is too large a number for a format", digits);
  return std::stoll(std::string(digits));
}

/// [[fill]align][sign][#][0][width][,][.precision][type]
FormatSpec parse_spec(std::string_view spec) {
  FormatSpec result;
  const auto is_align = [](char c) {
    return c && std::string_view("<>=^").find(c) != std::string_view::npos;
  };
  const auto skip = [&](char c) { return spec.starts_with(c) && (spec.remove_prefix(1), true); };
  const auto number = [&] {
    const size_t end = std::min(spec.find_first_not_of("0123456789"), spec.size());
    const std::string_view digits = spec.substr(0, end);
    spec.remove_prefix(end);
    return digits;
  };
  const size_t fill = spec.empty() ? 0 : character_at(spec, 0).size;
  if (fill < spec.size() && is_align(spec[fill])) {
    result.fill = Text(spec.substr(0, fill));
    result.align = spec[fill];
    spec.remove_prefix(fill + 1);
  } else if (!spec.empty() && is_align(spec[0])) {
    result.align = spec[0];
    spec.remove_prefix(1);
  }
  for (const char sign : {'+', '-', ' '}) {
    if (skip(sign)) result.sign = sign;
  }
  result.alternate = skip('#');
  if (skip('0') && !result.align) {
    result.fill = Text("0");
    result.align = '=';
  }
  if (const auto digits = number(); !digits.empty()) result.width = small_number(digits);
  result.grouped = skip(',');
  if (skip('.')) {
    const auto digits = number();
    HONE_CHECK(is_digits(digits) && digits.size() <= 3, "a format lacks its precision");
    result.precision = small_number(digits);
  }
  if (!spec.empty()) result.type = spec[0];
  HONE_CHECK(spec.size() <= 1, "invalid format specifier '{}'", spec);
  return result;
}

Text format_value(const Value& value, std::string_view spec_text) {
  if (spec_text.empty()) return print(value);
  FormatSpec spec = parse_spec(spec_text);
  if (value.is_number() && !(value.is_bool() && spec.type == 0)) {
    const std::string_view types = value.is_float() ? "eEfFgGn%" : "bcdoxXneEfFgG%";
    HONE_CHECK(!spec.type || types.find(spec.type) != types.npos,
               "unknown format code '{}' for a '{}'", spec.type, type_name(value));
    return format_number(value, spec);
  }
  if (value.is_bool()) return format_number(value.as_int(), spec);
  const Text* text = value.text();
  HONE_CHECK(text && (!spec.type || spec.type == 's') && spec.align != '=' && !spec.grouped,
             "the format '{}' does not suit a '{}'", spec_text, type_name(value));
  const size_t end = spec.precision < 0 ? text->size() : byte_offset(text->bytes(), spec.precision);
  return pad(text->slice(0, end), spec, '<');
}

class BraceFormatter {
 public:
  BraceFormatter(const Text& format, const Arguments& arguments)
      : format_(format), bytes_(format.bytes()), arguments_(arguments) {}

  Text run() {
    Text result;
    while (at_ < bytes_.size()) {
      const size_t brace = std::min(bytes_.find_first_of("{}", at_), bytes_.size());
      result.append(format_, at_, brace);
      at_ = brace + 1;
      if (brace == bytes_.size()) break;
      if (at_ < bytes_.size() && bytes_[at_] == bytes_[brace]) {
        result.append(format_, at_, at_ + 1);
        ++at_;
        continue;
      }
      HONE_CHECK(bytes_[brace] == '{', "a format has a single '}}'");
      Text text = field();
      text.add_marks(format_.all_marks());  // it may hold fill characters of the format
      result.append(format_.markup ? escape_html(text) : text);
    }
    result.markup = format_.markup;
    return result;
  }

 private:
  Text field() {
    const size_t close = bytes_.find('}', at_);
    HONE_CHECK(close != bytes_.npos, "a format lacks its '}}'");
    std::string_view body = std::string_view(bytes_).substr(at_, close - at_);
    HONE_CHECK(body.find('{') == body.npos, "a format nests braces");
    at_ = close + 1;
    const size_t colon = std::min(body.find(':'), body.size());
    const std::string_view spec = body.substr(std::min(colon + 1, body.size()));
    body = body.substr(0, colon);
    const size_t bang = std::min(body.find('!'), body.size());
    Value value = look_up(body.substr(0, bang));
    if (bang < body.size()) {
      const std::string_view conversion = body.substr(bang + 1);
      HONE_CHECK(conversion == "s" || conversion == "r", "unknown conversion '!{}'", conversion);
      value = conversion == "r" ? print_quoted(value) : print(value);
    }
    return format_value(value, spec);
  }

  /// name, then .attribute and [key] parts.
  Value look_up(std::string_view path) {
    const size_t end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, end));
    path.remove_prefix(end);
    while (!path.empty()) {
      const bool bracket = path[0] == '[';
      HONE_CHECK(bracket || path[0] == '.', "in a format only '.' or '[' may follow ']'");
      const size_t stop =
          bracket ? path.find(']') : std::min(path.find_first_of(".[", 1), path.size());
      HONE_CHECK(stop != path.npos, "a format lacks its ']'");
      const std::string_view name = path.substr(1, stop - 1);
      HONE_CHECK(!name.empty(), "a format has an empty attribute");
      value = !bracket ? attribute(value, name)
                       : item(value, is_digits(name) ? Value(small_number(name)) : Value(name));
      path.remove_prefix(stop + bracket);
    }
    return value;
  }

  Value argument(std::string_view name) {
    if (name.empty() || is_digits(name)) {
      HONE_CHECK(
          counting_ == Counting::unknown || (counting_ == Counting::automatic) == name.empty(),
          "a format mixes {{}} and {{0}}");
      counting_ = name.empty() ? Counting::automatic : Counting::manual;
      const size_t index = name.empty() ? next_++ : small_number(name);
      HONE_CHECK(index < arguments_.positional.size(), "a format needs more arguments");
      return arguments_.positional[index];
    }
    const auto& named = arguments_.named;
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const auto& entry) { return entry.first.bytes() == name; });
    HONE_CHECK(found != named.end(), "a format needs the argument '{}'", name);
    return found->second;
  }

  enum class Counting { unknown, automatic, manual };
  const Text& format_;
  const std::string& bytes_;
  const Arguments& arguments_;
  size_t at_ = 0, next_ = 0;
  Counting counting_ = Counting::unknown;
};

}  // namespace

Text format_braces(const Text& format, const Arguments& arguments) {
  return BraceFormatter(format, arguments).run();
}

}  // namespace hone::text::jinja
