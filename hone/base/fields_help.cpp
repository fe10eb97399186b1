#include "hone/base/fields.h"

#include <algorithm>

#include "hone/base/check.h"
#include "hone/base/nearest.h"

namespace hone::config {
namespace {

struct Row {
  std::string key, type, standard, meaning;
};

struct TypeName {
  std::string operator()(const bool*) const { return "bool"; }
  template <std::integral T>
  std::string operator()(const T*) const {
    return "int";
  }
  template <std::floating_point T>
  std::string operator()(const T*) const {
    return "float";
  }
  std::string operator()(const std::string*) const { return "string"; }
  std::string operator()(const std::filesystem::path*) const { return "path"; }
  std::string operator()(const ChoiceSlot& choice) const {
    return fmt::format("{}", fmt::join(choice.names, "|"));
  }
  std::string operator()(const OptionalSlot& optional) const {
    optional.fill(optional.object);
    return std::visit(*this, optional.value(optional.object).member);
  }
  std::string operator()(const ListSlot& list) const {
    list.resize(list.object, 0);
    list.resize(list.object, 1);
    return "list of " + std::visit(*this, list.at(list.object, 0).member);
  }
  std::string operator()(const TableSlot&) const { return "tables"; }
  std::string operator()(const VariantSlot&) const { return "tables"; }
};

/// Collects the rows of all options; fills optionals and lists of the scratch object on its way.
struct RowCollector {
  std::vector<Row>& rows;

  void field(const std::string& key, const Field& field) const {
    const auto* optional = std::get_if<OptionalSlot>(&field.slot.member);
    const bool unset = optional && !optional->has_value(optional->object);
    const bool table = std::holds_alternative<TableSlot>(field.slot.member) ||
                       std::holds_alternative<VariantSlot>(field.slot.member);
    if (!table) {
      std::string standard = unset ? "unset" : print_json_slot(field.slot);
      rows.push_back({key, std::visit(TypeName{}, field.slot.member), standard, field.meaning});
    }
    below(key, field.slot);
  }

  void below(const std::string& key, const Slot& slot) const {
    if (const auto* table = std::get_if<TableSlot>(&slot.member)) {
      each(key, *table, "");
    } else if (const auto* variant = std::get_if<VariantSlot>(&slot.member)) {
      kinds(key, *variant);
    } else if (const auto* list = std::get_if<ListSlot>(&slot.member)) {
      below(key + "[]", list->at(list->object, 0));
    } else if (const auto* optional = std::get_if<OptionalSlot>(&slot.member)) {
      below(key, optional->value(optional->object));
    }
  }

  void each(const std::string& key, const TableSlot& table, const std::string& note) const {
    for (Field& inner : table.fields(table.object)) {
      inner.meaning = note + inner.meaning;
      field(key.empty() ? inner.name : key + '.' + inner.name, inner);
    }
  }

  void kinds(const std::string& key, const VariantSlot& variant) const {
    const ChoiceSlot& kind = variant.kind;
    rows.push_back({key + ".kind", TypeName{}(kind), print_json_slot({kind}), "Which one."});
    for (size_t i = 0; i < kind.names.size(); ++i) {
      kind.choose(kind.object, i);
      each(key, variant.value(kind.object), fmt::format("({}) ", kind.names[i]));
    }
  }
};

std::vector<Row> all_rows(const Slot& scratch) {
  std::vector<Row> rows;
  RowCollector{rows}.below("", scratch);
  return rows;
}

/// The keys of options and of the tables they lie in.
std::vector<std::string> keys_of(const std::vector<Row>& rows) {
  std::vector<std::string> keys;
  for (const Row& row : rows) {
    for (size_t end = row.key.find('.'); end != row.key.npos; end = row.key.find('.', end + 1)) {
      keys.push_back(row.key.substr(0, end));
    }
    keys.push_back(row.key);
  }
  return keys;
}

bool is_below(std::string_view key, std::string_view parent) {
  return key.starts_with(parent) && (key.size() == parent.size() || parent.empty() ||
                                     key[parent.size()] == '.' || key[parent.size()] == '[');
}

}  // namespace

std::vector<std::string> known_keys(const Slot& scratch) {
  return keys_of(all_rows(scratch));
}

std::string help_slot(const Slot& scratch, std::string_view key) {
  std::vector<Row> rows = all_rows(scratch);
  const std::vector<std::string> keys = keys_of(rows);
  std::erase_if(rows, [&](const Row& row) { return !is_below(row.key, key); });
  HONE_CHECK(!rows.empty(), "unknown option '{}'; nearest is '{}'", key, nearest(key, keys));
  size_t key_width = 0, type_width = 0, default_width = 0;
  for (const Row& row : rows) {
    key_width = std::max(key_width, row.key.size());
    type_width = std::max(type_width, row.type.size());
    default_width = std::max(default_width, row.standard.size());
  }
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", row.key, key_width, row.type, type_width,
                       row.standard, default_width, row.meaning);
  }
  return out;
}

}  // namespace hone::config
