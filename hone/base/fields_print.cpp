#include "hone/base/fields.h"

#include <cmath>

#include "hone/base/check.h"

namespace hone::config {
namespace {

enum class Syntax { toml, json };

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + '"';
}

std::string join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string inline_value(const Slot& slot, Syntax syntax);

/// The fields of an aggregate with the `kind` of a variant in front; those without value left out.
std::vector<Field> fields_of(const TableSlot& table) {
  return table.fields(table.object);
}
std::vector<Field> fields_of(const VariantSlot& variant) {
  std::vector<Field> fields = {{"kind", {variant.kind}, ""}};
  for (Field& field : fields_of(variant.value(variant.kind.object))) {
    fields.push_back(std::move(field));
  }
  return fields;
}

bool is_unset(const Slot& slot) {
  const auto* optional = std::get_if<OptionalSlot>(&slot.member);
  return optional && !optional->has_value(optional->object);
}

struct InlinePrinter {
  Syntax syntax;

  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  template <std::integral T>
  std::string operator()(const T* value) const {
    return fmt::format("{}", *value);
  }
  template <std::floating_point T>
  std::string operator()(const T* value) const {
    if (!std::isfinite(*value) && syntax == Syntax::json) return "null";
    const std::string text = fmt::format("{}", *value);
    return text.find_first_of(".enai") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string* value) const { return quote(*value); }
  std::string operator()(const std::filesystem::path* value) const {
    return quote(value->string());
  }
  std::string operator()(const ChoiceSlot& choice) const {
    return quote(choice.names[choice.index(choice.object)]);
  }
  std::string operator()(const OptionalSlot& optional) const {
    if (!optional.has_value(optional.object)) return "null";
    return inline_value(optional.value(optional.object), syntax);
  }
  std::string operator()(const ListSlot& list) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < list.size(list.object); ++i) {
      parts.push_back(inline_value(list.at(list.object, i), syntax));
    }
    return '[' + join(parts) + ']';
  }
  std::string operator()(const TableSlot& table) const { return braces(fields_of(table)); }
  std::string operator()(const VariantSlot& variant) const { return braces(fields_of(variant)); }

  std::string braces(const std::vector<Field>& fields) const {
    std::vector<std::string> parts;
    for (const Field& field : fields) {
      if (syntax == Syntax::toml && is_unset(field.slot)) continue;
      const std::string value = inline_value(field.slot, syntax);
      parts.push_back(syntax == Syntax::toml ? fmt::format("{} = {}", field.name, value)
                                             : fmt::format("\"{}\": {}", field.name, value));
    }
    return '{' + join(parts) + '}';
  }
};

std::string inline_value(const Slot& slot, Syntax syntax) {
  return std::visit(InlinePrinter{syntax}, slot.member);
}

std::optional<std::vector<Field>> table_fields(const Slot& slot) {
  if (const auto* table = std::get_if<TableSlot>(&slot.member)) return fields_of(*table);
  if (const auto* variant = std::get_if<VariantSlot>(&slot.member)) return fields_of(*variant);
  if (const auto* optional = std::get_if<OptionalSlot>(&slot.member); optional && !is_unset(slot)) {
    return table_fields(optional->value(optional->object));
  }
  return std::nullopt;
}

std::string dotted(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + '.' + name;
}

const ListSlot* list_of_tables(const Slot& slot) {
  const auto* list = std::get_if<ListSlot>(&slot.member);
  const bool tables =
      list && list->size(list->object) > 0 && table_fields(list->at(list->object, 0));
  return tables ? list : nullptr;
}

/// Plain values first: TOML gives every line below a [header] to that table.
void print_sections(const std::vector<Field>& fields, const std::string& prefix, std::string& out) {
  for (const Field& field : fields) {
    if (is_unset(field.slot) || table_fields(field.slot) || list_of_tables(field.slot)) continue;
    out += fmt::format("{} = {}\n", field.name, inline_value(field.slot, Syntax::toml));
  }
  for (const Field& field : fields) {
    const std::string key = dotted(prefix, field.name);
    if (const auto inner = table_fields(field.slot)) {
      out += fmt::format("\n[{}]\n", key);
      print_sections(*inner, key, out);
    } else if (const ListSlot* list = list_of_tables(field.slot)) {
      for (size_t i = 0; i < list->size(list->object); ++i) {
        out += fmt::format("\n[[{}]]\n", key);
        print_sections(*table_fields(list->at(list->object, i)), key, out);
      }
    }
  }
}

void print_origin_lines(const std::vector<Field>& fields, const std::string& prefix,
                        const Origins& origins, std::string& out) {
  for (const Field& field : fields) {
    const std::string key = dotted(prefix, field.name);
    if (const auto inner = table_fields(field.slot)) {
      print_origin_lines(*inner, key, origins, out);
    } else if (const ListSlot* list = list_of_tables(field.slot)) {
      for (size_t i = 0; i < list->size(list->object); ++i) {
        print_origin_lines(*table_fields(list->at(list->object, i)), fmt::format("{}.{}", key, i),
                           origins, out);
      }
    } else {
      const auto origin = origins.find(key);
      const std::string value =
          is_unset(field.slot) ? "unset" : inline_value(field.slot, Syntax::toml);
      out += fmt::format("{} = {}  # {}\n", key, value,
                         origin == origins.end() ? "default" : origin->second);
    }
  }
}

}  // namespace

std::string print_toml_slot(const Slot& slot) {
  std::string out;
  print_sections(table_fields(slot).value(), "", out);
  return out;
}

std::string print_json_slot(const Slot& slot) {
  return inline_value(slot, Syntax::json);
}

std::string print_origins_slot(const Slot& slot, const Origins& origins) {
  std::string out;
  print_origin_lines(table_fields(slot).value(), "", origins, out);
  return out;
}

}  // namespace hone::config
