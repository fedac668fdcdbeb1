// Which backend runs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "qkv/backend.hpp"
#include "support/attend.hpp"
#include "support/settings.hpp"

namespace qkv::test {
namespace {

TEST(Backend, ScalarIsAlwaysThereAndLast) {
  const std::vector<std::string_view> names = backends();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back(), "scalar");
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
#if defined(__wasm__)
  EXPECT_TRUE(names.front() == "simd128" || names.front() == "relaxed") << names.front();
#elif defined(__x86_64__)
  EXPECT_EQ(std::count(names.begin(), names.end(), "sse2"), 1);
#elif defined(__aarch64__)
  EXPECT_EQ(names.front(), "neon64");
#endif
}

// The whole suite runs once for each backend that this variable forces: it must be the one that runs.
TEST(Backend, IsTheForcedOneOrTheBest) {
  std::string_view name;
  const char* forced = std::getenv("QKV_BACKEND");
  ASSERT_TRUE(ok(try_backend(name)));
  if (forced != nullptr && *forced != '\0') {
    EXPECT_EQ(name, forced);
  } else {
    EXPECT_EQ(name, backends().front());
  }
}

TEST(Backend, CanBeChosen) {
  const KeepBackend keep;
  for (const std::string_view name : backends()) {
    ASSERT_TRUE(ok(try_set_backend(name)));
    std::string_view active;
    ASSERT_TRUE(ok(try_backend(active)));
    EXPECT_EQ(active, name);
  }
}

TEST(Backend, UnknownNamesAreRefusedAndChangeNothing) {
  std::string_view before, after;
  ASSERT_TRUE(ok(try_backend(before)));
  for (const char* name : {"", "avx", "SSE2", "scalar ", "best"}) {
    EXPECT_TRUE(refused(try_set_backend(name), ErrorCode::argument,
                        {std::string("\"") + name + "\"", "scalar"}));
  }
  ASSERT_TRUE(ok(try_backend(after)));
  EXPECT_EQ(after, before);
}

TEST(Version, IsThreeNumbers) {
  int major = -1, minor = -1, patch = -1;
  char more = 0;
  EXPECT_EQ(std::sscanf(version(), "%d.%d.%d%c", &major, &minor, &patch, &more), 3) << version();
}

}  // namespace
}  // namespace qkv::test
