// The elementary functions against those of the system, in double precision or better.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "exact_math.hpp"
#include "support/numbers.hpp"

namespace qkv::test {
namespace {

constexpr double infinity = HUGE_VAL;
const double nan_double = std::numeric_limits<double>::quiet_NaN();

// A number of any magnitude between 10^low and 10^high, either sign.
double any(Numbers& numbers, double low, double high) {
  const double fine = static_cast<double>(numbers.bits() >> 11) / 9007199254740992.0;
  return std::pow(10, low + (high - low) * fine) * (numbers.chance(0.5) ? 1 : -1);
}

double worst_relative(const std::function<double(double)>& got, const std::function<double(double)>& want,
                      const std::function<double()>& next) {
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = next();
    const double right = want(x);
    if (right != 0) worst = std::fmax(worst, std::fabs(got(x) - right) / std::fabs(right));
  }
  return worst;
}

TEST(ExactMath, Exp) {
  Numbers numbers(1);
  const auto want = [](double x) { return std::exp(x); };
  EXPECT_LT(worst_relative(exact_exp, want, [&] { return any(numbers, -10, std::log10(700)); }), 5e-16);
  EXPECT_EQ(exact_exp(0), 1);
  EXPECT_EQ(exact_exp(-infinity), 0);
  EXPECT_EQ(exact_exp(infinity), infinity);
  EXPECT_EQ(exact_exp(-746), 0);
  EXPECT_EQ(exact_exp(710), infinity);
  EXPECT_NEAR(exact_exp(709.7) / std::exp(709.7), 1, 4e-16);
  EXPECT_NEAR(exact_exp(-744), std::exp(-744.0), 5e-324);
  EXPECT_TRUE(std::isnan(exact_exp(nan_double)));
}

TEST(ExactMath, Log) {
  Numbers numbers(2);
  const auto want = [](double x) { return std::log(x); };
  EXPECT_LT(worst_relative(exact_log, want, [&] { return std::fabs(any(numbers, -320, 308)); }), 5e-16);
  // Near 1 the result is near 0.
  EXPECT_LT(worst_relative(exact_log, want, [&] { return 1 + any(numbers, -12, -0.5); }), 5e-16);
  EXPECT_EQ(exact_log(1), 0);
  EXPECT_EQ(exact_log(0), -infinity);
  EXPECT_EQ(exact_log(infinity), infinity);
  EXPECT_TRUE(std::isnan(exact_log(-1)));
  EXPECT_TRUE(std::isnan(exact_log(nan_double)));
}

TEST(ExactMath, Tanh) {
  Numbers numbers(3);
  const auto want = [](double x) { return std::tanh(x); };
  EXPECT_LT(worst_relative(exact_tanh, want, [&] { return any(numbers, -300, 3); }), 1e-13);
  EXPECT_LT(worst_relative(exact_tanh, want, [&] { return any(numbers, -4, 1); }), 1e-13);
  EXPECT_EQ(exact_tanh(0), 0);
  EXPECT_EQ(exact_tanh(infinity), 1);
  EXPECT_EQ(exact_tanh(-infinity), -1);
  EXPECT_TRUE(std::isnan(exact_tanh(nan_double)));
}

TEST(ExactMath, SineAndCosine) {
  Numbers numbers(4);
  double worst = 0;
  const auto see = [&](double angle) {
    double sine = 0, cosine = 0;
    exact_sine_cosine(angle, sine, cosine);
    worst = std::fmax(worst, std::fabs(sine - std::sin(angle)));
    worst = std::fmax(worst, std::fabs(cosine - std::cos(angle)));
  };
  for (int i = 0; i < 200000; ++i) see(any(numbers, -10, std::log10(3e9)));
  EXPECT_LT(worst, 1e-15);
  // Where one of the two vanishes, and at the bounds between the quarters.
  worst = 0;
  for (int i = -1000000; i < 1000000; i += 997) {
    see(i * 1.57079632679489661923);
    see(i * 0.785398163397448309616);
    see(i);
  }
  EXPECT_LT(worst, 1e-15);
  double sine = 1, cosine = 0;
  exact_sine_cosine(0, sine, cosine);
  EXPECT_EQ(sine, 0);
  EXPECT_EQ(cosine, 1);
  exact_sine_cosine(nan_double, sine, cosine);
  EXPECT_TRUE(std::isnan(sine) && std::isnan(cosine));
  exact_sine_cosine(infinity, sine, cosine);
  EXPECT_TRUE(std::isnan(sine) && std::isnan(cosine));
}

// Angles too large to be reduced exactly lose their meaning, but not their bounds.
TEST(ExactMath, SineAndCosineOfEnormousAngles) {
  Numbers numbers(5);
  for (int i = 0; i < 10000; ++i) {
    double sine = 0, cosine = 0;
    const double angle = any(numbers, 9, 300);
    exact_sine_cosine(angle, sine, cosine);
    ASSERT_LE(std::fabs(sine), 1.0000001) << angle;
    ASSERT_LE(std::fabs(cosine), 1.0000001) << angle;
  }
}

TEST(ExactMath, CosineOfTurns) {
  for (int i = 0; i <= 4096; ++i) {
    const double turns = i / 4096.0;
    EXPECT_NEAR(cos_of_turns(turns), std::cos(2 * 3.14159265358979323846 * turns), 2e-15);
  }
}

}  // namespace
}  // namespace qkv::test
