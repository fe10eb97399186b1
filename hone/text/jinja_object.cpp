#include "hone/text/jinja_object.h"

#include <algorithm>

#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {
namespace {

/// A function of the host or a macro.
class Callable : public Object {
 public:
  Callable(std::string type, std::string name, int depth,
           std::function<Value(Context&, Arguments)> body)
      : type_(std::move(type)), name_(std::move(name)), depth_(depth), body_(std::move(body)) {}
  std::string_view type_name() const override { return type_; }
  Text print() const override { return Text(fmt::format("<{} '{}'>", type_, name_)); }
  bool is_callable() const override { return true; }
  int depth() const override { return depth_; }
  Value call(Context& context, Arguments arguments) override {
    return body_(context, std::move(arguments));
  }
  std::optional<Value> attribute(std::string_view name) const override {
    if (name == "name" && type_ == "Macro") return Value(std::string_view(name_));
    return std::nullopt;
  }

 private:
  std::string type_, name_;
  int depth_;
  std::function<Value(Context&, Arguments)> body_;
};

std::vector<std::string_view> split_names(std::string_view parameters) {
  std::vector<std::string_view> names;
  while (!parameters.empty()) {
    const size_t end = std::min(parameters.find(' '), parameters.size());
    names.push_back(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return names;
}

std::string_view without_question(std::string_view name) {
  return name.ends_with('?') ? name.substr(0, name.size() - 1) : name;
}

bool remove_name(std::vector<std::string_view>& names, std::string_view name) {
  return std::erase(names, name) > 0;
}

}  // namespace

Context::~Context() {
  for (const auto& action : at_end) action();
}

void Context::spend(int64_t count) {
  steps += count;
  HONE_CHECK(steps <= kMaxSteps, "the template needs more than {} steps", kMaxSteps);
}

Value Object::call(Context&, Arguments) {
  fail_input("'{}' object is not callable", type_name());
}

const Text& Bound::text(size_t index) const {
  const Text* text = (*this)[index].text();
  HONE_CHECK(text, "{}() needs a string, but got '{}'", function_,
             jinja::type_name((*this)[index]));
  return *text;
}

int64_t Bound::integer(size_t index, int64_t otherwise) const {
  if (!has(index) || (*this)[index].is_none()) return otherwise;
  HONE_CHECK((*this)[index].is_int(), "{}() needs an integer, but got '{}'", function_,
             jinja::type_name((*this)[index]));
  return (*this)[index].as_int();
}

bool Bound::flag(size_t index) const {
  return has(index) && truthy((*this)[index]);
}

Bound bind(std::string_view name, std::string_view parameters, Arguments arguments) {
  std::vector<std::string_view> names = split_names(parameters);
  const bool takes_named = remove_name(names, "**"), takes_rest = remove_name(names, "*");
  Bound bound;
  bound.function_ = name;
  bound.given_.resize(names.size());
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    HONE_CHECK(i < names.size() || takes_rest, "{}() takes at most {} arguments, but got {}", name,
               names.size(), arguments.positional.size());
    if (i < names.size()) {
      bound.given_[i] = std::move(arguments.positional[i]);
    } else {
      bound.rest.positional.push_back(std::move(arguments.positional[i]));
    }
  }
  for (auto& [key, value] : arguments.named) {
    const auto found = std::find_if(names.begin(), names.end(), [&](auto n) {
      return n[0] != '_' && without_question(n) == key.bytes();
    });
    const size_t index = found - names.begin();
    if (found == names.end()) {
      HONE_CHECK(takes_named, "{}() takes no argument named '{}'", name, key.bytes());
      bound.rest.named.emplace_back(key, std::move(value));
      continue;
    }
    HONE_CHECK(!bound.given_[index], "{}() got two values for '{}'", name, key.bytes());
    bound.given_[index] = std::move(value);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    HONE_CHECK(bound.given_[i] || names[i].ends_with('?'), "{}() lacks its argument {} '{}'", name,
               i + 1, names[i]);
  }
  return bound;
}

const Function* find_function(std::span<const Function> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Function& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

Value call_function(const Function& function, Context& context, Arguments arguments) {
  for (const Value& value : arguments.positional) context.spend(weight_of(value) / 1024);
  return function.run(context, bind(function.name, function.parameters, std::move(arguments)));
}

Value make_callable(std::string type, std::string name, int depth,
                    std::function<Value(Context&, Arguments)> body) {
  return std::shared_ptr<Object>(
      std::make_shared<Callable>(std::move(type), std::move(name), depth, std::move(body)));
}

Value call_value(const Value& function, Context& context, Arguments arguments) {
  if (const Undefined* undefined = function.undefined()) fail_input("{}", undefined->message);
  HONE_CHECK(function.object() && function.object()->is_callable(), "'{}' object is not callable",
             type_name(function));
  return function.object()->call(context, std::move(arguments));
}

}  // namespace hone::text::jinja
