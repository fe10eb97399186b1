#include "hone/base/threads.h"

#include <memory>

#include "hone/base/check.h"
#include "hone/base/cpu.h"

namespace hone {
namespace {

constexpr int kSpinCount = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

std::unique_ptr<ThreadPool>& global_slot() {
  static std::unique_ptr<ThreadPool> pool = std::make_unique<ThreadPool>(usable_core_count());
  return pool;
}

}  // namespace

ThreadPool::ThreadPool(int thread_count) {
  HONE_ASSERT(thread_count >= 1, "thread count {}", thread_count);
  for (int i = 1; i < thread_count; ++i) workers_.emplace_back([this] { loop(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::work() {
  for (int64_t index; (index = next_.fetch_add(1)) < count_;) call_(context_, index);
}

void ThreadPool::run(int64_t count, Call call, const void* context) {
  if (workers_.empty() || count <= 1) {
    for (int64_t index = 0; index < count; ++index) call(context, index);
    return;
  }
  count_ = count;
  call_ = call;
  context_ = context;
  next_ = 0;
  job_.fetch_add(1);
  // A worker counts itself as sleeping before it looks at job_, so one of the two sees the other.
  if (sleeping_.load() > 0) {
    { std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  work();
  // Whoever comes inside from here on sees the job closed; the others are waited for.
  job_.fetch_add(1);
  for (int spins = 0; inside_.load() > 0; ++spins) {
    if (spins < kSpinCount) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::loop() {
  uint64_t seen = 0;
  const auto is_wanted = [&] {
    const uint64_t job = job_.load();
    return stop_ || (job % 2 == 1 && job != seen);
  };
  while (true) {
    for (int spins = 0; !is_wanted() && spins < kSpinCount; ++spins) pause();
    if (!is_wanted()) {
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, is_wanted);
      --sleeping_;
    }
    if (stop_) return;
    inside_.fetch_add(1);
    seen = job_.load();
    if (seen % 2 == 1) work();
    inside_.fetch_sub(1);
  }
}

ThreadPool& ThreadPool::global() {
  return *global_slot();
}

void ThreadPool::set_global_thread_count(int thread_count) {
  global_slot() = std::make_unique<ThreadPool>(thread_count);
}

}  // namespace hone
