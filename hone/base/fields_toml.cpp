#include "hone/base/fields.h"

// toml++ 3.3 asserts (and with NDEBUG assumes) what a header such as [é] breaks, though its next
// lines report that as a syntax error.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "hone/base/check.h"
#include "hone/base/nearest.h"

namespace hone::config {
namespace {

constexpr size_t kNoLine = std::numeric_limits<size_t>::max();

std::string dotted(const std::string& prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

/// "rewards.0.kind" as known_keys() writes it: "rewards[].kind".
std::string without_indices(std::string_view key) {
  std::string out;
  while (!key.empty()) {
    const std::string_view part = key.substr(0, key.find('.'));
    key.remove_prefix(std::min(key.size(), part.size() + 1));
    const bool index = part.find_first_not_of("0123456789") == part.npos;
    out += index ? "[]" : (out.empty() ? "" : ".") + std::string(part);
  }
  return out;
}

std::string describe(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  std::ostringstream text;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) text << value;
  });
  const char* type = node.is_string()           ? "a string"
                     : node.is_integer()        ? "an integer"
                     : node.is_floating_point() ? "a float"
                     : node.is_boolean()        ? "a bool"
                                                : "a date or time";
  return fmt::format("{} ({})", text.str(), type);
}

/// What a dotted path may name below `slot`: options, the kind of a variant, elements of a list.
std::vector<Field> fields_below(const Slot& slot) {
  std::vector<Field> fields;
  if (const auto* table = std::get_if<TableSlot>(&slot.member)) {
    fields = table->fields(table->object);
  } else if (const auto* variant = std::get_if<VariantSlot>(&slot.member)) {
    fields = fields_below({variant->value(variant->kind.object)});
    fields.push_back({"kind", {variant->kind}, ""});
  } else if (const auto* list = std::get_if<ListSlot>(&slot.member)) {
    for (size_t i = 0; i < list->size(list->object); ++i) {
      fields.push_back({std::to_string(i), list->at(list->object, i), ""});
    }
  }
  return fields;
}

/// Reads nodes into slots and collects what is wrong instead of stopping at the first error.
class Reader {
 public:
  Reader(std::string origin, const Slot& scratch, Origins* origins)
      : origin_(std::move(origin)), keys_(known_keys(scratch)), origins_(origins) {}

  void read_file(const Slot& target, std::string_view text) {
    try {
      read(target, toml::parse(text, origin_), "");
    } catch (const toml::parse_error& error) {
      add_error(error.source().begin.line, error.description());
    }
  }

  void read_override(const Slot& target, const std::string& assignment);
  void check(const Slot& slot, const std::string& key);
  void throw_errors();
  bool failed() const { return !errors_.empty(); }

 private:
  struct Visitor;
  void read(const Slot& slot, const toml::node& node, const std::string& key);
  void read_field(const TableSlot& table, const toml::node& node, const std::string& key,
                  std::string_view name);
  void assign(const Slot& slot, std::string_view path, const std::string& value,
              const std::string& key);
  void assign_value(const Slot& slot, const std::string& value, const std::string& key);
  /// The line of a node in the file, or kNoLine in an override.
  size_t line_of(const toml::node& node) const {
    return is_override_ ? kNoLine : node.source().begin.line;
  }
  std::string place(size_t line) const {
    return line == kNoLine ? "--set" : fmt::format("{}:{}", origin_, line);
  }
  void add_error(size_t line, std::string_view message) {
    errors_.emplace_back(line, fmt::format("{}: {}", place(line), message));
  }
  void wrong(const toml::node& node, const std::string& key, std::string_view wanted) {
    add_error(line_of(node), fmt::format("{} must be {}, came {}", key, wanted, describe(node)));
  }
  void unknown(size_t line, const std::string& key) {
    const std::string known = nearest(without_indices(key), keys_);
    add_error(line, known == without_indices(key)
                        ? fmt::format("option '{}' belongs to another kind", key)
                        : fmt::format("unknown option '{}'; nearest is '{}'", key, known));
  }

  std::string origin_;
  std::vector<std::string> keys_;
  Origins* origins_;
  std::vector<std::pair<size_t, std::string>> errors_;  // line and message
  bool is_override_ = false;
};

struct Reader::Visitor {
  Reader& reader;
  const toml::node& node;
  const std::string& key;

  void operator()(bool* member) const {
    const auto value = node.value_exact<bool>();
    value ? void(*member = *value) : reader.wrong(node, key, "true or false");
  }
  template <std::integral T>
  void operator()(T* member) const {
    const auto value = node.value_exact<int64_t>();
    if (!value) return reader.wrong(node, key, "an integer");
    if (!std::in_range<T>(*value)) {
      return reader.wrong(node, key,
                          fmt::format("between {} and {}", std::numeric_limits<T>::min(),
                                      std::numeric_limits<T>::max()));
    }
    *member = static_cast<T>(*value);
  }
  template <std::floating_point T>
  void operator()(T* member) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    value ? void(*member = static_cast<T>(*value)) : reader.wrong(node, key, "a number");
  }
  void operator()(std::string* member) const {
    const auto value = node.value_exact<std::string>();
    value ? void(*member = *value) : reader.wrong(node, key, "a string");
  }
  void operator()(std::filesystem::path* member) const {
    std::string text = member->string();
    (*this)(&text);
    *member = text;
  }
  void operator()(const ChoiceSlot& choice) const {
    const auto value = node.value_exact<std::string>();
    const auto found = std::find(choice.names.begin(), choice.names.end(), value.value_or(""));
    if (!value || found == choice.names.end()) {
      return reader.wrong(node, key, fmt::format("one of {}", fmt::join(choice.names, ", ")));
    }
    const auto index = static_cast<size_t>(found - choice.names.begin());
    if (choice.index(choice.object) != index) choice.choose(choice.object, index);
  }
  void operator()(const OptionalSlot& optional) const {
    if (!optional.has_value(optional.object)) optional.fill(optional.object);
    reader.read(optional.value(optional.object), node, key);
  }
  void operator()(const ListSlot& list) const {
    const toml::array* values = node.as_array();
    if (!values) return reader.wrong(node, key, "a list");
    list.resize(list.object, 0);
    list.resize(list.object, values->size());
    for (size_t i = 0; i < values->size(); ++i) {
      const std::string element_key = dotted(key, std::to_string(i));
      const Slot element = list.at(list.object, i);
      const auto* variant = std::get_if<VariantSlot>(&element.member);
      const toml::table* table = values->get(i)->as_table();
      if (variant && table && !table->contains("kind")) {
        reader.add_error(reader.line_of(*table),
                         fmt::format("{} needs a kind: one of {}", element_key,
                                     fmt::join(variant->kind.names, ", ")));
        continue;
      }
      reader.read(element, *values->get(i), element_key);
    }
  }
  void operator()(const TableSlot& table) const {
    const toml::table* values = node.as_table();
    if (!values) return reader.wrong(node, key, "a table");
    for (const auto& [name, value] : *values) reader.read_field(table, value, key, name.str());
  }
  void operator()(const VariantSlot& variant) const {
    const toml::table* values = node.as_table();
    if (!values) return reader.wrong(node, key, "a table");
    if (const toml::node* kind = values->get("kind")) {
      const size_t errors = reader.errors_.size();
      reader.read({variant.kind}, *kind, dotted(key, "kind"));
      if (reader.errors_.size() > errors) return;
    }
    const TableSlot table = variant.value(variant.kind.object);
    for (const auto& [name, value] : *values) {
      if (name.str() != "kind") reader.read_field(table, value, key, name.str());
    }
  }
};

void Reader::read(const Slot& slot, const toml::node& node, const std::string& key) {
  if (origins_ && !node.is_table()) (*origins_)[key] = place(line_of(node));
  std::visit(Visitor{*this, node, key}, slot.member);
}

void Reader::read_field(const TableSlot& table, const toml::node& node, const std::string& key,
                        std::string_view name) {
  for (const Field& field : table.fields(table.object)) {
    if (field.name == name) return read(field.slot, node, dotted(key, name));
  }
  unknown(line_of(node), dotted(key, name));
}

void Reader::read_override(const Slot& target, const std::string& assignment) {
  is_override_ = true;
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    return add_error(kNoLine, fmt::format("'{}' must be KEY=VALUE", assignment));
  }
  assign(target, std::string_view(assignment).substr(0, equals), assignment.substr(equals + 1), "");
}

/// Follows the dotted path to its slot.
void Reader::assign(const Slot& slot, std::string_view path, const std::string& value,
                    const std::string& key) {
  if (path.empty()) return assign_value(slot, value, key);
  if (const auto* optional = std::get_if<OptionalSlot>(&slot.member)) {
    if (!optional->has_value(optional->object)) optional->fill(optional->object);
    return assign(optional->value(optional->object), path, value, key);
  }
  const std::string_view name = path.substr(0, path.find('.'));
  const std::string_view rest = path.substr(std::min(path.size(), name.size() + 1));
  for (const Field& field : fields_below(slot)) {
    if (field.name == name) return assign(field.slot, rest, value, dotted(key, name));
  }
  unknown(kNoLine, dotted(key, path));
}

/// Reads the value as TOML; what is not TOML, and unquoted text for a text option, is a string.
void Reader::assign_value(const Slot& slot, const std::string& value, const std::string& key) {
  const toml::value<std::string> text(value);
  const bool is_text = std::holds_alternative<std::string*>(slot.member) ||
                       std::holds_alternative<std::filesystem::path*>(slot.member);
  if (is_text && !value.starts_with('"') && !value.starts_with('\'')) return read(slot, text, key);
  try {
    const toml::table parsed = toml::parse("v = " + value);
    read(slot, parsed.size() == 1 ? *parsed.get("v") : text, key);
  } catch (const toml::parse_error&) {
    read(slot, text, key);
  }
}

void Reader::check(const Slot& slot, const std::string& key) {
  if (const auto* optional = std::get_if<OptionalSlot>(&slot.member)) {
    if (optional->has_value(optional->object)) check(optional->value(optional->object), key);
  } else if (const auto* variant = std::get_if<VariantSlot>(&slot.member)) {
    check({variant->value(variant->kind.object)}, key);
  } else if (const auto* list = std::get_if<ListSlot>(&slot.member)) {
    for (size_t i = 0; i < list->size(list->object); ++i) {
      check(list->at(list->object, i), dotted(key, std::to_string(i)));
    }
  } else if (const auto* table = std::get_if<TableSlot>(&slot.member)) {
    for (const Field& field : table->fields(table->object)) {
      check(field.slot, dotted(key, field.name));
    }
    try {
      if (table->check) table->check(table->object);
    } catch (const Error& error) {
      const std::string where = key.empty() ? origin_ : fmt::format("{}: {}", origin_, key);
      errors_.emplace_back(kNoLine, fmt::format("{}: {}", where, error.what()));
    }
  }
}

void Reader::throw_errors() {
  if (errors_.empty()) return;
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string all;
  for (const auto& [line, message] : errors_) all += "\n  " + message;
  HONE_CHECK(errors_.size() > 1, "{}", errors_.front().second);
  fail_input("{} errors in the options of {}:{}", errors_.size(), origin_, all);
}

}  // namespace

void read_into(const Slot& target, const Slot& scratch, const Input& input, Origins* origins) {
  Reader reader(std::string(input.origin), scratch, origins);
  reader.read_file(target, input.text);
  for (const std::string& assignment : input.overrides) reader.read_override(target, assignment);
  if (!reader.failed()) reader.check(target, "");
  reader.throw_errors();
}

std::string top_level_text(std::string_view text, std::string_view origin, std::string_view key) {
  try {
    const toml::table table = toml::parse(text, origin);
    const auto value = table[key].value<std::string>();
    HONE_CHECK(value, "{}: '{}' must be a string at the top of the file, but it is missing", origin,
               key);
    return *value;
  } catch (const toml::parse_error& error) {
    fail_input("{}:{}: {}", origin, error.source().begin.line, error.description());
  }
}

}  // namespace hone::config
