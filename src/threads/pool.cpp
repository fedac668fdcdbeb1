#include "threads/pool.hpp"

#include <algorithm>

#include "qkv/backend.hpp"
#include "text.hpp"

#if QKV_THREADS
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>
#endif

namespace qkv {

#if QKV_THREADS

namespace {

// Threads that sleep until a loop comes. One loop runs at a time; a caller that finds the pool busy
// runs its loop alone, which is as fast when every thread has work already.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(Index count, int workers, const LoopBody& body) noexcept {
    std::unique_lock<std::mutex> turn(busy_, std::try_to_lock);
    if (!turn.owns_lock() || !grow(workers - 1)) {
      for (Index item = 0; item < count; ++item) body(item, 0);
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      body_ = &body;
      count_ = count;
      next_.store(0, std::memory_order_relaxed);
      wanted_ = workers - 1;
      running_ = workers - 1;
      ++generation_;
    }
    wake_.notify_all();
    work(body, count, 0);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
    body_ = nullptr;
  }

 private:
  void work(const LoopBody& body, Index count, int worker) noexcept {
    for (Index item = next_.fetch_add(1, std::memory_order_relaxed); item < count;
         item = next_.fetch_add(1, std::memory_order_relaxed)) {
      body(item, worker);
    }
  }

  // Called with busy_ held. Helpers are kept once started. False when the system gives no more.
  bool grow(int helpers) noexcept {
    return guarded([&]() -> Status {
             while (static_cast<int>(threads_.size()) < helpers) {
               const int number = static_cast<int>(threads_.size());
               QKV_TRY(start([this, number, seen = generation_] { serve(number, seen); }));
             }
             return {};
           }).ok();
  }

  template <class Body>
  Status start(const Body& body) {
#if defined(__cpp_exceptions)
    try {
      threads_.emplace_back(body);
    } catch (const std::system_error&) {
      return {ErrorCode::memory, {}};  // not for a user: the loop runs on fewer threads
    }
#else
    threads_.emplace_back(body);
#endif
    return {};
  }

  void serve(int number, std::uint64_t seen) noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (ending_) return;
      if (number >= wanted_) continue;
      const LoopBody& body = *body_;
      const Index count = count_;
      lock.unlock();
      work(body, count, number + 1);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_;  // held by the caller whose loop runs
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows, except next_
  std::condition_variable wake_, done_;
  std::uint64_t generation_ = 0;  // grows whenever the helpers must look
  bool ending_ = false;
  int wanted_ = 0;                // helpers below this number take part
  int running_ = 0;
  const LoopBody* body_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_{0};
};

Pool& pool() {
  static Pool instance;
  return instance;
}

std::atomic<int> chosen{0};  // 0: as many as the processors

}  // namespace

int worker_limit() noexcept {
  const int count = chosen.load(std::memory_order_relaxed);
  if (count > 0) return count;
  static const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return processors;
}

Status try_set_threads(int count) noexcept {
  if (count < 1 || count > 1024) {
    return guarded([&]() -> Status {
      return argument_error("set_threads: 1 to 1024 threads; saw ", count);
    });
  }
  chosen.store(count, std::memory_order_relaxed);
  return {};
}

void parallel_for(Index count, int workers, const LoopBody& body) noexcept {
  if (workers > count) workers = static_cast<int>(count);
  if (workers > 1) {
    pool().run(count, workers, body);
  } else {
    for (Index item = 0; item < count; ++item) body(item, 0);
  }
}

#else

int worker_limit() noexcept { return 1; }

Status try_set_threads(int count) noexcept {
  if (count == 1) return {};
  return guarded([&]() -> Status {
    return argument_error("set_threads: this build runs 1 thread; saw ", count);
  });
}

void parallel_for(Index count, int, const LoopBody& body) noexcept {
  for (Index item = 0; item < count; ++item) body(item, 0);
}

#endif

int threads() noexcept { return worker_limit(); }

}  // namespace qkv
