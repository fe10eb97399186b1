#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace hone {

/// A fixed pool whose calling thread works too. Work is handed out in chunks from one counter, so
/// a thread that loses its core to a neighbour delays only the chunk it holds, and a worker that
/// wakes too late is not waited for. Workers spin for some microseconds after a job and then sleep.
/// Results must not depend on who runs a chunk.
class ThreadPool {
 public:
  /// `thread_count` counts the caller; 1 means no worker at all.
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(index) once for each index in [0, count), on all threads; returns when all are
  /// done. `body` must not throw and must not call the pool again.
  template <typename Body>
  void parallel_for(int64_t count, const Body& body) {
    run(
        count,
        [](const void* context, int64_t index) { (*static_cast<const Body*>(context))(index); },
        &body);
  }

  /// The pool of the process: as many threads as the process may use (affinity and cgroup).
  static ThreadPool& global();
  /// Makes the global pool anew with `thread_count` threads; no job may be running.
  static void set_global_thread_count(int thread_count);

 private:
  using Call = void (*)(const void*, int64_t);
  void run(int64_t count, Call call, const void* context);
  void work();
  void loop();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> job_{0};  // odd while a job is open to workers
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> next_{0};
  std::atomic<int> inside_{0};  // workers that may look at the job
  std::atomic<int> sleeping_{0};
  int64_t count_ = 0;
  Call call_ = nullptr;
  const void* context_ = nullptr;
};

}  // namespace hone
