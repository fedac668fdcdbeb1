// Splitting a loop over threads.
#pragma once

#include "qkv/index.hpp"

namespace qkv {

// Most threads that a loop may use now, the caller's own among them.
int worker_limit() noexcept;

// The same for work of so many multiplications and additions: one thread where waking another would
// take longer than the work.
inline int workers_for(double multiply_adds) noexcept {
  constexpr double least = 1 << 20;  // some 30 microseconds
  return multiply_adds < least ? 1 : worker_limit();
}

// Calls body(item, worker) once for each item in [0, count), in any order, on up to worker_limit()
// threads; returns when all are done. `worker` is below worker_limit() and no two bodies run with
// the same one at the same time. The bodies must not throw. Which thread runs what is left open, so
// results must not depend on it.
class LoopBody {
 public:
  virtual void operator()(Index item, int worker) const noexcept = 0;

 protected:
  ~LoopBody() = default;
};
void parallel_for(Index count, int workers, const LoopBody& body) noexcept;

template <class Body>
void parallel_for(Index count, int workers, const Body& body) noexcept {
  struct Adapter final : LoopBody {
    explicit Adapter(const Body& body) : body(body) {}
    void operator()(Index item, int worker) const noexcept override { body(item, worker); }
    const Body& body;
  };
  const Adapter adapter(body);
  parallel_for(count, workers, static_cast<const LoopBody&>(adapter));
}

}  // namespace qkv
