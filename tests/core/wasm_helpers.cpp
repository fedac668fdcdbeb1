// The helpers of a WebAssembly program with threads: started before the first test, as the package
// starts them before the first call.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "qkv/backend.hpp"
#include "threads/helpers.hpp"
#include "threads/pool.hpp"

namespace qkv::test {
namespace {

constexpr int helpers = 6;

class Helpers final : public testing::Environment {
  void SetUp() override {
    let_callers_sleep(true);
    for (int i = 0; i < helpers; ++i) {
      std::thread(serve).detach();
      enlist_helper();
    }
  }
};

const testing::Environment* const started = testing::AddGlobalTestEnvironment(new Helpers);

TEST(WasmHelpers, AreAllThere) {
  EXPECT_EQ(threads(), helpers + 1);
  EXPECT_FALSE(try_set_threads(helpers + 2).ok());
}

// As in a page, whose thread must not sleep.
TEST(WasmHelpers, ServeCallersThatMayNotSleep) {
  let_callers_sleep(false);
  for (int round = 0; round < 1000; ++round) {
    std::atomic<Index> sum{0};
    parallel_for(20, threads(), [&](Index item, int) { sum += item; });
    ASSERT_EQ(sum, 190);
  }
  let_callers_sleep(true);
}

}  // namespace
}  // namespace qkv::test
