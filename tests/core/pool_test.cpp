// Loops over threads, whatever runs in them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "support/settings.hpp"
#include "threads/pool.hpp"

namespace qkv::test {
namespace {

// Numbers of workers to try, as far as this program has so many.
std::vector<int> worker_counts() {
  std::vector<int> counts;
  for (const int count : {1, 2, 3, 5}) {
    if (try_set_threads(count).ok()) counts.push_back(count);
  }
  return counts;
}

TEST(Pool, EachItemIsRunOnce) {
  const KeepThreads keep;
  for (const int workers : worker_counts()) {
    for (const Index count : {0, 1, 2, 7, 1000}) {
      const auto runs = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(count));
      for (int round = 1; round <= 50; ++round) {
        parallel_for(count, workers, [&](Index item, int) { runs[static_cast<std::size_t>(item)] += 1; });
        for (Index item = 0; item < count; ++item) {
          ASSERT_EQ(runs[static_cast<std::size_t>(item)], round) << workers << " workers, item " << item;
        }
      }
    }
  }
}

// Each worker waits in its first item for all others, so that each has one item, and its own number.
TEST(Pool, EveryWorkerTakesPartUnderItsOwnNumber) {
  using Clock = std::chrono::steady_clock;
  const KeepThreads keep;
  for (const int workers : worker_counts()) {
    const auto items = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(workers));
    for (int round = 1; round <= 20; ++round) {
      std::atomic<int> present{0};
      const auto end = Clock::now() + std::chrono::seconds(20);
      parallel_for(workers, workers, [&](Index, int worker) {
        if (worker >= 0 && worker < workers) items[static_cast<std::size_t>(worker)] += 1;
        ++present;
        while (present < workers && Clock::now() < end) {
        }
      });
      ASSERT_LT(Clock::now(), end) << workers << " workers did not meet";
      for (int worker = 0; worker < workers; ++worker) {
        ASSERT_EQ(items[static_cast<std::size_t>(worker)], round) << "worker " << worker;
      }
    }
  }
}

TEST(Pool, ALoopInALoopRunsInItsWorker) {
  const KeepThreads keep;
  for (const int workers : worker_counts()) {
    std::atomic<Index> sum{0};
    std::atomic<int> elsewhere{0};
    parallel_for(20, workers, [&](Index outer, int) {
      Index own = 0;  // not shared: only one thread may add to it
      parallel_for(30, workers, [&](Index inner, int worker) {
        own += outer * inner;
        if (worker != 0) ++elsewhere;
      });
      sum += own;
    });
    EXPECT_EQ(sum, 190 * 435);
    if (workers > 1) EXPECT_EQ(elsewhere, 0);
  }
}

}  // namespace
}  // namespace qkv::test
