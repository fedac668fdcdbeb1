// Numbers as sentences show them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/numbers.hpp"
#include "text.hpp"

namespace qkv::test {
namespace {

TEST(NumberText, WritesWhatAPersonWould) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},
      {-0.0, "0"},
      {3, "3"},
      {-17, "-17"},
      {0.5, "0.5"},
      {-0.1, "-0.1"},
      {1.0f / 3, "0.333333"},
      {2.5, "2.5"},
      {123456.789, "123457"},
      {999999.5, "1e6"},
      {99999.95, "100000"},
      {1e-30, "1e-30"},
      {1.5e-7, "1.5e-7"},
      {0.00001, "0.00001"},
      {0.000099999999, "0.0001"},
      {0.001, "0.001"},
      {0.1 + 0.2, "0.3"},
      {1e300, "1e300"},
      {-2.25e22, "-2.25e22"},
      {8999999999999999, "8999999999999999"},
      {1234567890123, "1234567890123"},
      {1.7976931348623157e308, "1.79769e308"},
      {2.2250738585072014e-308, "2.22507e-308"},
      {5e-324, "4.94066e-324"},
      {1e-310, "1e-310"},
      {HUGE_VAL, "Infinity"},
      {-HUGE_VAL, "-Infinity"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [number, want] : cases) {
    EXPECT_EQ(number_text(number), want) << testing::PrintToString(number);
  }
}

// Six digits, read back, name the number to half of the sixth.
TEST(NumberText, ReadsBack) {
  Numbers numbers(1);
  for (int i = 0; i < 20000; ++i) {
    const double magnitude = std::pow(10.0, static_cast<double>(numbers.uniform(-300, 300)));
    const double number = numbers.chance(0.5) ? magnitude : -magnitude;
    const std::string text = number_text(number);
    ASSERT_NEAR(std::strtod(text.c_str(), nullptr), number, 5.1e-6 * magnitude) << text;
  }
}

TEST(Text, JoinsItsParts) {
  EXPECT_EQ(text("shape ", Shape{2, 3}, " and ", 4, ", ", 0.25f, ", ", std::string("x")),
            "shape [2, 3] and 4, 0.25, x");
  EXPECT_EQ(text(), "");
  EXPECT_EQ(text(std::int64_t{INT64_MIN}, " ", std::size_t{7}), "-9223372036854775808 7");
}

}  // namespace
}  // namespace qkv::test
