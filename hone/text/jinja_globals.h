#pragma once

#include <map>

#include "hone/text/jinja_object.h"

/// Internal to hone/text.
namespace hone::text::jinja {

/// namespace(): the only object that a template may change.
class NamespaceObject : public Object {
 public:
  std::string_view type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(std::string_view name) const override;
  void set(const std::string& name, Value value);
  void clear() { members_.clear(); }

 private:
  std::map<std::string, Value, std::less<>> members_;
};

/// range, dict, namespace, cycler, joiner, raise_exception and strftime_now by name.
std::map<std::string, Value, std::less<>> make_globals();

}  // namespace hone::text::jinja
