#include <algorithm>
#include <atomic>
#include <cstdint>

#include "qkv/backend.hpp"
#include "text.hpp"
#include "threads/helpers.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

using Word = std::atomic<std::uint32_t>;

// How often a thread looks for a change before it sleeps, 20 microseconds or so: the loops of one
// call, and calls in a row, follow one another sooner than a sleeper wakes.
constexpr int looks = 20000;

void sleep_while(Word& word, std::uint32_t value) noexcept {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&word), static_cast<int>(value), -1);
}

void wake(Word& word, std::uint32_t sleepers) noexcept {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), sleepers);
}

bool changes_soon(const Word& word, std::uint32_t value) noexcept {
  for (int i = 0; i < looks; ++i) {
    if (word.load(std::memory_order_relaxed) != value) return true;
  }
  return false;
}

// One loop runs at a time; a caller that finds the pool busy runs its loop alone, which is as fast
// when every thread has work already. A helper takes one of the loop's seats when it comes, and no
// one waits for a helper that did not come in time.
class Pool {
 public:
  void run(Index count, int workers, const LoopBody& body) noexcept {
    if (busy_.exchange(true, std::memory_order_acquire)) {
      for (Index item = 0; item < count; ++item) body(item, 0);
      return;
    }
    body_ = &body;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    const auto seats = static_cast<std::uint32_t>(workers - 1);
    at_work_.store(seats * seat, std::memory_order_release);
    loops_.fetch_add(1);
    if (sleepers_.load() > 0) wake(loops_, seats);

    work(0);
    at_work_.fetch_and(seat - 1);  // whoever comes now finds no seat
    for (auto left = at_work_.load(std::memory_order_acquire); left > 0;
         left = at_work_.load(std::memory_order_acquire)) {
      if (!changes_soon(at_work_, left) && callers_sleep.load(std::memory_order_relaxed)) {
        sleep_while(at_work_, left);
      }
    }
    busy_.store(false, std::memory_order_release);
  }

  [[noreturn]] void serve() noexcept {
    for (std::uint32_t seen = 0;;) {
      if (!changes_soon(loops_, seen)) {
        sleepers_.fetch_add(1);
        sleep_while(loops_, seen);
        sleepers_.fetch_sub(1);
      }
      seen = loops_.load();
      if (const int worker = take_seat(); worker > 0) {
        work(worker);
        at_work_.fetch_sub(1, std::memory_order_release);
        if (callers_sleep.load(std::memory_order_relaxed)) wake(at_work_, 1);
      }
    }
  }

  std::atomic<bool> callers_sleep{false};

 private:
  static constexpr std::uint32_t seat = 1u << 16;

  // A number from 1 on that nobody else has in this loop, or 0 when it is over or full.
  int take_seat() noexcept {
    for (auto seen = at_work_.load(); seen >= seat;) {
      if (at_work_.compare_exchange_weak(seen, seen - seat + 1)) return static_cast<int>(seen / seat);
    }
    return 0;
  }

  void work(int worker) noexcept {
    for (Index item = next_.fetch_add(1, std::memory_order_relaxed); item < count_;
         item = next_.fetch_add(1, std::memory_order_relaxed)) {
      (*body_)(item, worker);
    }
  }

  std::atomic<bool> busy_{false};  // set by the caller whose loop runs
  const LoopBody* body_ = nullptr;
  Index count_ = 0;

  // On lines of their own: one is written by every worker for every item, one is looked at by those
  // who wait.
  alignas(64) std::atomic<Index> next_{0};
  alignas(64) Word at_work_{0};  // free seats * 2^16 + helpers at work
  alignas(64) Word loops_{0};    // grows with each; helpers wait for that
  Word sleepers_{0};
};

constinit Pool pool;
constinit std::atomic<int> helpers{0};
constinit std::atomic<int> chosen{0};  // 0: all there are

int available() noexcept { return helpers.load(std::memory_order_relaxed) + 1; }

}  // namespace

void enlist_helper() noexcept { helpers.fetch_add(1); }
void serve() noexcept { pool.serve(); }
void let_callers_sleep(bool allowed) noexcept { pool.callers_sleep.store(allowed); }

int worker_limit() noexcept {
  const int count = chosen.load(std::memory_order_relaxed);
  return count > 0 ? count : available();
}

int threads() noexcept { return worker_limit(); }

Status try_set_threads(int count) noexcept {
  if (count < 1 || count > available()) {
    return guarded([&]() -> Status {
      return argument_error("set_threads: 1 to ", available(), " threads; saw ", count);
    });
  }
  chosen.store(count, std::memory_order_relaxed);
  return {};
}

void parallel_for(Index count, int workers, const LoopBody& body) noexcept {
  if (workers > count) workers = static_cast<int>(count);
  if (workers > 1) {
    pool.run(count, workers, body);
  } else {
    for (Index item = 0; item < count; ++item) body(item, 0);
  }
}

}  // namespace qkv
