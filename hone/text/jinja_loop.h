#pragma once

#include "hone/text/jinja_object.h"

/// Internal to hone/text.
namespace hone::text::jinja {

/// The variable `loop` of a for loop: index, last, previtem, cycle() …
class LoopObject : public Object, public std::enable_shared_from_this<LoopObject> {
 public:
  /// `recurse` renders the loop's body over its argument; null unless the loop is recursive.
  LoopObject(Value items, int depth, std::function<Value(Context&, Arguments)> recurse)
      : items_(std::move(items)), depth_(depth), recurse_(std::move(recurse)) {}

  void advance() { ++index_; }
  std::string_view type_name() const override { return "LoopContext"; }
  Text print() const override;
  std::optional<Value> attribute(std::string_view name) const override;
  bool is_callable() const override { return true; }
  Value call(Context& context, Arguments arguments) override;
  int depth() const override { return depth_of(items_) + 1; }

 private:
  const Values& items() const { return items_.sequence()->items; }
  Value neighbour(int64_t index, const char* missing) const;
  Value cycle(const Arguments& arguments) const;
  bool changed(Context& context, Arguments arguments);
  Value method(std::string_view name) const;

  Value items_;
  int depth_;
  std::function<Value(Context&, Arguments)> recurse_;
  int64_t index_ = -1;
  std::optional<Value> last_changed_;
};

}  // namespace hone::text::jinja
