// Numbers of threads, and results that do not depend on them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "agree.hpp"
#include "settings.hpp"

namespace qkv::test {

// Those of `wanted` that this program can run: natively all, be there more than processors;
// WebAssembly has the threads that were started, be it one.
inline std::vector<int> thread_counts(std::vector<int> wanted) {
#if defined(__wasm__)
  std::erase_if(wanted, [most = threads()](int count) { return count > most; });
#endif
  return wanted;
}

// `body` returns what was computed; one thread's bits are those of any number.
template <class Body>
void expect_same_on_any_threads(const Body& body, const std::vector<int>& wanted = {2, 3}) {
  const KeepThreads keep;
  const std::vector<int> counts = thread_counts(wanted);
  ASSERT_TRUE(ok(try_set_threads(1)));
  const auto want = body();
  for (const int count : counts) {
    ASSERT_TRUE(ok(try_set_threads(count)));
    EXPECT_EQ(threads(), count);
    EXPECT_TRUE(same_bits(body(), want)) << count << " threads";
  }
}

}  // namespace qkv::test
