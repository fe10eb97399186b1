#include "hone/text/jinja_loop.h"

#include "hone/text/jinja_operators.h"

namespace hone::text::jinja {

Text LoopObject::print() const {
  return Text(fmt::format("<LoopContext {}/{}>", index_ + 1, items().size()));
}

std::optional<Value> LoopObject::attribute(std::string_view name) const {
  const auto count = static_cast<int64_t>(items().size());
  if (name == "index") return index_ + 1;
  if (name == "index0") return index_;
  if (name == "revindex") return count - index_;
  if (name == "revindex0") return count - index_ - 1;
  if (name == "first") return index_ == 0;
  if (name == "last") return index_ + 1 == count;
  if (name == "length") return count;
  if (name == "depth") return depth_;
  if (name == "depth0") return depth_ - 1;
  if (name == "previtem") return neighbour(index_ - 1, "there is no previous item");
  if (name == "nextitem") return neighbour(index_ + 1, "there is no next item");
  if (name == "cycle" || name == "changed") return method(name);
  return std::nullopt;
}

Value LoopObject::neighbour(int64_t index, const char* missing) const {
  if (index < 0 || index >= static_cast<int64_t>(items().size())) return Undefined{missing};
  return items()[index];
}

Value LoopObject::method(std::string_view name) const {
  const auto self = std::const_pointer_cast<LoopObject>(shared_from_this());
  const bool cycles = name == "cycle";
  const auto body = [self, cycles](Context& context, Arguments arguments) {
    return cycles ? self->cycle(arguments) : Value(self->changed(context, std::move(arguments)));
  };
  return make_callable("method", std::string(name), depth() + 1, body);
}

Value LoopObject::cycle(const Arguments& arguments) const {
  const Values& choices = arguments.positional;
  HONE_CHECK(!choices.empty(), "loop.cycle() needs at least one value");
  return choices[index_ % static_cast<int64_t>(choices.size())];
}

bool LoopObject::changed(Context& context, Arguments arguments) {
  Value now = make_tuple(std::move(arguments.positional));
  if (last_changed_ && equal(*last_changed_, now)) return false;
  // The values may hold this loop: without this the cycle would never be freed.
  if (!last_changed_)
    context.at_end.push_back([self = shared_from_this()] { self->last_changed_.reset(); });
  last_changed_ = std::move(now);
  return true;
}

Value LoopObject::call(Context& context, Arguments arguments) {
  HONE_CHECK(recurse_, "loop() needs a loop that is marked 'recursive'");
  return recurse_(context, std::move(arguments));
}

}  // namespace hone::text::jinja
