#include <algorithm>

#include "hone/text/jinja_methods.h"
#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

/// Ends of the white space at each end of bytes [begin, end).
size_t skip_space(const std::string& bytes, size_t at) {
  while (at < bytes.size()) {
    const Character c = character_at(bytes, at);
    if (!is_space(c.code)) break;
    at += c.size;
  }
  return at;
}

size_t skip_word(const std::string& bytes, size_t at) {
  while (at < bytes.size()) {
    const Character c = character_at(bytes, at);
    if (is_space(c.code)) break;
    at += c.size;
  }
  return at;
}

size_t before(const std::string& bytes, size_t at) {
  while ((bytes[--at] & 0xC0) == 0x80) {
  }
  return at;
}

size_t skip_back(const std::string& bytes, size_t at, bool space) {
  while (at > 0) {
    const size_t previous = before(bytes, at);
    if (is_space(character_at(bytes, previous).code) != space) break;
    at = previous;
  }
  return at;
}

Values split_space(const Text& text, int64_t limit) {
  Values parts;
  size_t at = skip_space(text.bytes(), 0);
  while (at < text.size()) {
    const bool last = limit >= 0 && static_cast<int64_t>(parts.size()) == limit;
    const size_t end = last ? text.size() : skip_word(text.bytes(), at);
    push(parts, text.slice(at, end));
    at = skip_space(text.bytes(), end);
  }
  return parts;
}

Values split_space_right(const Text& text, int64_t limit) {
  Values parts;
  size_t end = skip_back(text.bytes(), text.size(), true);
  while (end > 0) {
    const bool last = limit >= 0 && static_cast<int64_t>(parts.size()) == limit;
    const size_t begin = last ? 0 : skip_back(text.bytes(), end, false);
    push(parts, text.slice(begin, end));
    end = last ? 0 : skip_back(text.bytes(), begin, true);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

bool ends_line(int32_t code) {
  return (code >= 10 && code <= 13) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

}  // namespace

Values split(const Text& text, const Text* separator, int64_t limit) {
  if (!separator) return split_space(text, limit);
  HONE_CHECK(!separator->empty(), "split: the separator is empty");
  Values parts;
  size_t begin = 0;
  while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
    const size_t end = find_bytes(text.bytes(), separator->bytes(), begin);
    if (end == std::string::npos) break;
    push(parts, text.slice(begin, end));
    begin = end + separator->size();
  }
  push(parts, text.slice(begin, text.size()));
  return parts;
}

Values split_right(const Text& text, const Text* separator, int64_t limit) {
  if (!separator) return split_space_right(text, limit);
  HONE_CHECK(!separator->empty(), "rsplit: the separator is empty");
  Values parts;
  const size_t size = text.size();
  const std::string reversed(text.bytes().rbegin(), text.bytes().rend());
  const std::string needle(separator->bytes().rbegin(), separator->bytes().rend());
  size_t end = size;
  while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
    const size_t found = find_bytes(reversed, needle, size - end);
    if (found == std::string::npos) break;
    push(parts, text.slice(size - found, end));
    end = size - found - needle.size();
  }
  push(parts, text.slice(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Values split_lines(const Text& text, bool keep_ends) {
  Values lines;
  const std::string& bytes = text.bytes();
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    const Character c = character_at(bytes, at);
    const size_t end = at;
    at += c.size;
    if (!ends_line(c.code)) continue;
    if (c.code == '\r' && at < bytes.size() && bytes[at] == '\n') ++at;
    push(lines, text.slice(begin, keep_ends ? at : end));
    begin = at;
  }
  if (begin < bytes.size()) push(lines, text.slice(begin, bytes.size()));
  return lines;
}

Text replace(const Text& text, const Text& old, const Text& replacement, int64_t limit) {
  Text result;
  result.markup = text.markup;
  size_t begin = 0, from = 0;
  for (int64_t count = 0; limit < 0 || count < limit; ++count) {
    const size_t found = find_bytes(text.bytes(), old.bytes(), from);
    if (found == std::string::npos) break;
    result.append(text, begin, found);
    result.append(replacement);
    begin = found + old.size();
    from = begin;
    // An empty string is found before each character and at the end.
    if (old.empty()) {
      if (found == text.size()) break;
      from += character_at(text.bytes(), found).size;
    }
  }
  result.append(text, begin, text.size());
  return result;
}

Text join(const Text& separator, const Values& items) {
  Text result;
  for (size_t i = 0; i < items.size(); ++i) {
    const Text* text = items[i].text();
    HONE_CHECK(text, "join: element {} is no string but '{}'", i, type_name(items[i]));
    if (i > 0) result.append(separator);
    result.append(separator.markup ? escape_html(*text) : *text);
  }
  result.markup = separator.markup;
  return result;
}

Text strip(const Text& text, const Text* chars, Side side) {
  const auto stripped = [&](size_t at) {
    const Character c = character_at(text.bytes(), at);
    if (!chars) return is_space(c.code);
    return chars->bytes().find(text.bytes().substr(at, c.size)) != std::string::npos;
  };
  size_t begin = 0, end = text.size();
  while (side != Side::right && begin < end && stripped(begin)) {
    begin += character_at(text.bytes(), begin).size;
  }
  while (side != Side::left && end > begin && stripped(before(text.bytes(), end))) {
    end = before(text.bytes(), end);
  }
  return text.slice(begin, end);
}

Text escape_html(const Text& text) {
  if (text.markup) return text;
  Text result = map_characters(text, [&](Character c, size_t at) -> std::string {
    if (c.code == '&') return "&amp;";
    if (c.code == '<') return "&lt;";
    if (c.code == '>') return "&gt;";
    if (c.code == '\'') return "&#39;";
    if (c.code == '"') return "&#34;";
    return text.bytes().substr(at, c.size);
  });
  result.markup = true;
  return result;
}

}  // namespace hone::text::jinja
