#include "hone/reward/tasks.h"

#include "hone/base/check.h"

namespace hone::reward {
namespace {

/// The stream of the order; problems use steps below 2^30 only.
RandomStream order_stream(uint64_t seed) {
  return {seed, 0xFFFFFFFF, 0};
}

template <typename... Tasks>
Score verify_by_kind(const std::string& kind, const Sample& sample,
                     std::type_identity<std::variant<Tasks...>>) {
  Score score{0, Status::skipped};
  ((kind == Tasks::kKind ? void(score = Tasks::verify(sample)) : void()), ...);
  return score;
}

}  // namespace

ProblemSet::ProblemSet(TaskConfig task, uint64_t seed, uint64_t held_out_count)
    : task_(std::move(task)), seed_(seed), held_out_count_(held_out_count) {
  std::visit([](const auto& chosen) { chosen.check(); }, task_);
  count_ = std::visit([](const auto& chosen) { return chosen.count(); }, task_);
  HONE_CHECK(held_out_count < count_,
             "the task has {} different problems, so {} cannot be held out; make its range larger",
             count_, held_out_count);
}

Problem ProblemSet::at(uint64_t position) const {
  const uint64_t rank = permuted(order_stream(seed_), position, count_);
  return std::visit([&](const auto& chosen) { return chosen.problem(seed_, rank); }, task_);
}

Problem ProblemSet::held_out(uint64_t index) const {
  HONE_ASSERT(index < held_out_count_, "held-out index {} of {}", index, held_out_count_);
  return at(index);
}

Problem ProblemSet::train(uint64_t index) const {
  HONE_ASSERT(index < train_count(), "train index {} of {}", index, train_count());
  return at(held_out_count_ + index);
}

Score verify_task(const Sample& sample) {
  if (!sample.metadata.is_object() || !sample.metadata.contains("task")) {
    return {0, Status::skipped};
  }
  const Json& kind = sample.metadata["task"];
  if (!kind.is_string()) return {0, Status::skipped};
  return verify_by_kind(kind.get<std::string>(), sample, std::type_identity<TaskConfig>());
}

}  // namespace hone::reward
