// QKV_BACKEND is read once, at first use: each value of it is tried in a process of its own, which is
// this program again with one of the tests below.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "qkv/backend.hpp"
#include "support/attend.hpp"

namespace qkv::test {
namespace {

// Does nothing unless QKV_TEST_REFUSED asks for it: then no operation may run until the variable is
// corrected.
TEST(EnvironmentChild, UnknownBackendIsAnErrorOfEveryOperation) {
  if (std::getenv("QKV_TEST_REFUSED") == nullptr) return;
  const std::string forced = std::getenv("QKV_BACKEND");
  const std::vector<std::string> words = {"QKV_BACKEND", "\"" + forced + "\"", "scalar"};
  std::string_view name;
  EXPECT_TRUE(refused(try_backend(name), ErrorCode::argument, words));
  const float one = 1;
  float result = 7;
  const ConstTensorView view(&one, {1, 1});
  EXPECT_TRUE(refused(try_attention(view, view, view, {&result, {1, 1}}), ErrorCode::argument, words));
  EXPECT_EQ(result, 7);
  ASSERT_EQ(setenv("QKV_BACKEND", "scalar", 1), 0);
  EXPECT_TRUE(ok(try_attention(view, view, view, {&result, {1, 1}})));
  EXPECT_EQ(result, 1);
  EXPECT_TRUE(ok(try_backend(name)));
  EXPECT_EQ(name, "scalar");
}

int run_self(const std::string& environment, const std::string& filter) {
  const std::string program = testing::internal::GetArgvs()[0];
  const int status =
      std::system((environment + " '" + program + "' --gtest_filter=" + filter + " > /dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Environment, UnknownBackendIsAnErrorOfEveryOperation) {
  for (const char* name : {"nosuch", "neon640", "simd128", "SCALAR"}) {
    EXPECT_EQ(run_self("QKV_TEST_REFUSED=1 QKV_BACKEND=" + std::string(name),
                       "EnvironmentChild.UnknownBackendIsAnErrorOfEveryOperation"),
              0)
        << name;
  }
}

TEST(Environment, EveryBackendCanBeForced) {
  for (const std::string_view name : backends()) {
    EXPECT_EQ(run_self("QKV_BACKEND=" + std::string(name), "Backend.IsTheForcedOneOrTheBest"), 0)
        << name;
  }
  // Set to nothing is not set.
  EXPECT_EQ(run_self("QKV_BACKEND=", "Backend.IsTheForcedOneOrTheBest"), 0);
}

}  // namespace
}  // namespace qkv::test
