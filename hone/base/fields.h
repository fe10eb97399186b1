#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Options. An aggregate with defaults declares each option once:
///
///   struct Optimizer {
///     double learning_rate = 1e-5;
///     static void fields(auto&& self, auto&& visit) {
///       visit("learning_rate", self.learning_rate, "Peak learning rate.");
///     }
///     void check() const;  // optional: HONE_CHECK what must hold between the values
///   };
///
/// A member is a bool, int32_t, int64_t, uint64_t, float, double, std::string, path, an enum with
/// `constexpr std::array<std::pair<E, const char*>, n> enum_names(E)`, another such aggregate, an
/// optional or a vector of these, or a variant of aggregates that each have `kKind`: a table whose
/// key `kind` says which.
namespace hone::config {

struct Field;
struct Slot;

/// A member that is one of several names; `index` counts in `names`.
struct ChoiceSlot {
  void* object;
  std::vector<std::string> names;
  size_t (*index)(const void*);
  void (*choose)(void*, size_t);
};

/// A std::optional; `fill` makes a default value, `value` needs one.
struct OptionalSlot {
  void* object;
  bool (*has_value)(const void*);
  void (*fill)(void*);
  Slot (*value)(void*);
};

/// A std::vector.
struct ListSlot {
  void* object;
  size_t (*size)(const void*);
  void (*resize)(void*, size_t);
  Slot (*at)(void*, size_t);
};

/// An aggregate; `check` may be null.
struct TableSlot {
  void* object;
  std::vector<Field> (*fields)(void*);
  void (*check)(const void*);
};

/// A std::variant of aggregates; `kind` says which one it holds, `value` is that one.
struct VariantSlot {
  ChoiceSlot kind;
  TableSlot (*value)(void*);
};

/// A reference to one member, free of templates: what readers and printers work on.
struct Slot {
  std::variant<bool*, int32_t*, int64_t*, uint64_t*, float*, double*, std::string*,
               std::filesystem::path*, ChoiceSlot, OptionalSlot, ListSlot, TableSlot, VariantSlot>
      member;
};

/// One option of an aggregate: its key, its member and a sentence with the unit.
struct Field {
  std::string name;
  Slot slot;
  std::string meaning;
};

/// Where each value that is not a default came from: dotted key to "run.toml:12" or "--set".
using Origins = std::map<std::string, std::string>;

/// The slot of any supported member.
template <typename T>
Slot slot_of(T& member);

/// The slot of an aggregate.
template <typename T>
TableSlot table_slot(T& object) {
  TableSlot slot{&object, nullptr, nullptr};
  slot.fields = [](void* self) {
    std::vector<Field> fields;
    T::fields(*static_cast<T*>(self), [&](const char* name, auto& member, const char* meaning) {
      fields.push_back({name, slot_of(member), meaning});
    });
    return fields;
  };
  if constexpr (requires(const T& value) { value.check(); }) {
    slot.check = [](const void* self) { static_cast<const T*>(self)->check(); };
  }
  return slot;
}

/// The slot of an enum that has enum_names().
template <typename E>
ChoiceSlot choice_slot(E& member) {
  static constexpr auto kNames = enum_names(E{});
  ChoiceSlot slot{&member, {}, nullptr, nullptr};
  for (const auto& [value, name] : kNames) slot.names.push_back(name);
  slot.index = [](const void* self) {
    size_t index = 0;
    while (index + 1 < kNames.size() && kNames[index].first != *static_cast<const E*>(self)) {
      ++index;
    }
    return index;
  };
  slot.choose = [](void* self, size_t index) { *static_cast<E*>(self) = kNames[index].first; };
  return slot;
}

/// The slot of a std::optional.
template <typename T>
OptionalSlot optional_slot(std::optional<T>& member) {
  using Optional = std::optional<T>;
  return {&member, [](const void* self) { return static_cast<const Optional*>(self)->has_value(); },
          [](void* self) { static_cast<Optional*>(self)->emplace(); },
          [](void* self) { return slot_of(static_cast<Optional*>(self)->value()); }};
}

/// The slot of a std::vector.
template <typename T>
ListSlot list_slot(std::vector<T>& member) {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no addressable elements");
  using List = std::vector<T>;
  return {&member, [](const void* self) { return static_cast<const List*>(self)->size(); },
          [](void* self, size_t size) { static_cast<List*>(self)->resize(size); },
          [](void* self, size_t index) { return slot_of(static_cast<List*>(self)->at(index)); }};
}

/// The slot of a std::variant of aggregates.
template <typename... Ts>
VariantSlot variant_slot(std::variant<Ts...>& member) {
  using Variant = std::variant<Ts...>;
  ChoiceSlot kind{&member, {Ts::kKind...}, nullptr, nullptr};
  kind.index = [](const void* self) { return static_cast<const Variant*>(self)->index(); };
  kind.choose = [](void* self, size_t index) {
    static constexpr std::array<void (*)(Variant&), sizeof...(Ts)> kMakers = {
        [](Variant& variant) { variant.template emplace<Ts>(); }...};
    kMakers[index](*static_cast<Variant*>(self));
  };
  return {kind, [](void* self) {
            return std::visit([](auto& value) { return table_slot(value); },
                              *static_cast<Variant*>(self));
          }};
}

/// The first slot that fits the type of the member.
template <typename T>
Slot slot_of(T& member) {
  if constexpr (std::is_enum_v<T>) {
    return {choice_slot(member)};
  } else if constexpr (requires { optional_slot(member); }) {
    return {optional_slot(member)};
  } else if constexpr (requires { list_slot(member); }) {
    return {list_slot(member)};
  } else if constexpr (requires { variant_slot(member); }) {
    return {variant_slot(member)};
  } else if constexpr (requires { T::fields(member, [](auto&&...) {}); }) {
    return {table_slot(member)};
  } else {
    return {&member};
  }
}

/// The untyped forms of the functions below. `scratch` is a second object that may be changed.
struct Input {
  std::string_view text, origin;
  std::span<const std::string> overrides;
};
void read_into(const Slot& target, const Slot& scratch, const Input& input, Origins* origins);
std::string print_toml_slot(const Slot& slot);
std::string print_json_slot(const Slot& slot);
std::string print_origins_slot(const Slot& slot, const Origins& origins);
std::string help_slot(const Slot& scratch, std::string_view key);
std::vector<std::string> known_keys(const Slot& scratch);

/// The defaults of T, then the TOML of `text`, then the overrides ("a.b=3", "list.0.key=x"; a value
/// that is not TOML is a string), then every check(). All errors come as one input error with
/// "origin:line" each; an unknown key names the nearest known one.
template <typename T>
T read_toml(std::string_view text, std::string_view origin,
            std::span<const std::string> overrides = {}, Origins* origins = nullptr) {
  T target{}, scratch{};
  read_into(slot_of(target), slot_of(scratch), {text, origin, overrides}, origins);
  return target;
}

/// The string `key` at the top of a TOML text, before it is known what else the text holds; an
/// input error where it is missing or no string.
std::string top_level_text(std::string_view text, std::string_view origin, std::string_view key);

/// TOML that read_toml turns into an equal value; options without a value are left out.
template <typename T>
std::string print_toml(const T& value) {
  return print_toml_slot(slot_of(const_cast<T&>(value)));
}

/// JSON on one line; options without a value are null.
template <typename T>
std::string print_json(const T& value) {
  return print_json_slot(slot_of(const_cast<T&>(value)));
}

/// One line per option: "key = value  # origin".
template <typename T>
std::string print_origins(const T& value, const Origins& origins) {
  return print_origins_slot(slot_of(const_cast<T&>(value)), origins);
}

/// A table of key, type, default and meaning: of every option, or of `key` and what is below it.
/// An unknown key is an input error that names the nearest.
template <typename T>
std::string help(std::string_view key = "") {
  T scratch{};
  return help_slot(slot_of(scratch), key);
}

}  // namespace hone::config
