#include "hone/text/jinja_globals.h"

#include <ctime>

#include "hone/text/jinja_operators.h"
#include "hone/text/jinja_print.h"

namespace hone::text::jinja {

std::optional<Value> NamespaceObject::attribute(std::string_view name) const {
  const auto found = members_.find(name);
  if (found == members_.end()) return std::nullopt;
  return found->second;
}

void NamespaceObject::set(const std::string& name, Value value) {
  members_.insert_or_assign(name, std::move(value));
}

namespace {

/// cycler(): gives its items in turn.
class Cycler : public Object, public std::enable_shared_from_this<Cycler> {
 public:
  explicit Cycler(Value items) : items_(std::move(items)) {}
  std::string_view type_name() const override { return "Cycler"; }
  int depth() const override { return depth_of(items_) + 1; }

  std::optional<Value> attribute(std::string_view name) const override {
    if (name == "current") return items()[position_];
    if (name == "pos") return static_cast<int64_t>(position_);
    if (name != "next" && name != "reset") return std::nullopt;
    const auto self = std::const_pointer_cast<Cycler>(shared_from_this());
    const bool resets = name == "reset";
    return make_callable("method", std::string(name), depth() + 1, [=](Context&, Arguments) {
      return resets ? self->reset() : self->next();
    });
  }

 private:
  const Values& items() const { return items_.sequence()->items; }
  Value next() {
    Value item = items()[position_];
    position_ = (position_ + 1) % items().size();
    return item;
  }
  Value reset() {
    position_ = 0;
    return None{};
  }

  Value items_;
  size_t position_ = 0;
};

Value cycler(Context&, const Bound& a) {
  HONE_CHECK(!a.rest.positional.empty(), "cycler() needs at least one item");
  return std::shared_ptr<Object>(std::make_shared<Cycler>(make_tuple(a.rest.positional)));
}

Value joiner(Context&, const Bound& a) {
  const Value separator = a.has(0) ? a[0] : Value(", ");
  const auto used = std::make_shared<bool>(false);
  const auto body = [separator, used](Context&, Arguments) {
    return std::exchange(*used, true) ? separator : Value("");
  };
  return make_callable("Joiner", "joiner", depth_of(separator) + 1, body);
}

/// dict(mapping or pairs, name=value …).
Dict collect(const Bound& a) {
  Dict dict;
  if (a.has(0) && a[0].undefined()) fail_input("{}", a[0].undefined()->message);
  if (a.has(0) && a[0].dict()) {
    for (const auto& [key, value] : a[0].dict()->entries()) dict.set(key, value);
  } else if (a.has(0)) {
    for (const Value& pair : iterate(a[0])) {
      const Values parts = iterate(pair);
      HONE_CHECK(parts.size() == 2, "dict() needs pairs, but got {} values", parts.size());
      dict.set(parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : a.rest.named) dict.set(name, value);
  return dict;
}

Value dict(Context&, const Bound& a) {
  return make_dict(collect(a));
}

Value make_namespace(Context& context, const Bound& a) {
  const auto space = std::make_shared<NamespaceObject>();
  const Dict members = collect(a);
  for (const auto& [key, value] : members.entries()) {
    HONE_CHECK(key.text(), "namespace() needs names that are strings");
    space->set(key.text()->bytes(), value);
  }
  // Namespaces may hold each other.
  context.at_end.push_back([space] { space->clear(); });
  return std::shared_ptr<Object>(space);
}

Value range(Context&, const Bound& a) {
  const int64_t begin = a.has(1) ? a.integer(0, 0) : 0;
  const int64_t end = a.has(1) ? a.integer(1, 0) : a.integer(0, 0);
  const int64_t step = a.integer(2, 1);
  HONE_CHECK(step != 0, "range() needs a step that is not zero");
  Values items;
  constexpr size_t kMaxRange = 100'000;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    HONE_CHECK(items.size() < kMaxRange, "range() may have at most {} elements", kMaxRange);
    items.push_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  std::string label = fmt::format("range({}, {}", begin, end);
  label += step == 1 ? ")" : fmt::format(", {})", step);
  return make_sequence(SequenceKind::range, std::move(items), std::move(label));
}

Value raise_exception(Context&, const Bound& a) {
  fail_input("{}", print(a[0]).bytes());
}

Value strftime_now(Context& context, const Bound& a) {
  const std::time_t time = context.now_seconds;
  std::tm parts{};
  HONE_CHECK(gmtime_r(&time, &parts), "strftime_now: the time is out of range");
  std::string buffer(1024, '\0');
  const size_t size =
      std::strftime(buffer.data(), buffer.size(), a.text(0).bytes().c_str(), &parts);
  HONE_CHECK(size > 0 || a.text(0).empty(), "strftime_now: the format is too long");
  HONE_CHECK(is_utf8({buffer.data(), size}), "strftime_now: the format is not valid");
  return Text({buffer.data(), size}, a.text(0).all_marks());
}

constexpr Function kGlobals[] = {
    {"cycler", "* **", cycler},
    {"dict", "_? **", dict},
    {"joiner", "sep?", joiner},
    {"namespace", "_? **", make_namespace},
    {"raise_exception", "message", raise_exception},
    {"range", "_ _? _?", range},
    {"strftime_now", "format", strftime_now},
};

}  // namespace

std::map<std::string, Value, std::less<>> make_globals() {
  std::map<std::string, Value, std::less<>> globals;
  for (const Function& function : kGlobals) {
    const auto body = [&function](Context& context, Arguments arguments) {
      return call_function(function, context, std::move(arguments));
    };
    const std::string name(function.name);
    globals.emplace(name, make_callable("function", name, 1, body));
  }
  return globals;
}

}  // namespace hone::text::jinja
