// After the first calls of a size, no call allocates. Counted where the C library is asked, which a
// sanitizer has replaced.
#include <gtest/gtest.h>

#if defined(__GLIBC__) && !defined(QKV_TEST_SANITIZED)

#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "qkv/attention.hpp"
#include "support/numbers.hpp"
#include "support/settings.hpp"

namespace {
std::atomic<long> asked{0};
}

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  ++asked;
  return __libc_malloc(bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++asked;
  return __libc_memalign(alignment, bytes);
}
}

namespace qkv::test {
namespace {

TEST(Allocation, WarmCallsMakeNone) {
  const KeepThreads keep;
  for (const int threads : {1, 2}) {
    ASSERT_TRUE(try_set_threads(threads).ok());
    for (const Shape& shape : {Shape{3, 3}, Shape{1, 4, 64, 32}, Shape{1, 2, 100, 16}}) {
      const std::vector<float> x = Numbers(1).list(shape.elements());
      std::vector<float> out(x.size());
      const AttentionOptions options;
      const auto call = [&] {
        return try_attention({x.data(), shape}, {x.data(), shape}, {x.data(), shape},
                             {out.data(), shape}, options).ok();
      };
      for (int warm = 0; warm < 8; ++warm) ASSERT_TRUE(call());
      const long before = asked;
      bool right = true;
      for (int round = 0; round < 10; ++round) right = call() && right;
      const long after = asked;  // before the assertion asks for memory itself
      EXPECT_EQ(after, before) << shape.to_string() << " on " << threads << " threads";
      EXPECT_TRUE(right);
    }
  }
}

TEST(Allocation, IsCounted) {
  const long before = asked;
  void* volatile block = std::malloc(10);
  std::free(block);
  EXPECT_EQ(asked, before + 1);
}

}  // namespace
}  // namespace qkv::test

#endif
