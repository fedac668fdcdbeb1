// Positions: what they must satisfy, and their accuracy far from the beginning.
#include <gtest/gtest.h>

#include <cmath>

#include "qkv/position.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

using namespace position;

// Enough for a float to differ in the last place from an exact value of at most 1.
constexpr Tolerance last_place{0, 6.1e-8};

std::vector<float> sinusoids(const SinusoidalOptions& options, Layout layout = Layout::row_major) {
  Placed result({options.length, options.dim}, layout);
  EXPECT_TRUE(ok(try_sinusoidal(options, result.view())));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

std::vector<float> rotated(const std::vector<float>& x, const Shape& shape, const RotaryOptions& options,
                           Layout layout = Layout::row_major) {
  const Placed in(shape, x, layout);
  Placed out(shape, layout);
  EXPECT_TRUE(ok(try_rotary(in.view(), options, out.view())));
  EXPECT_TRUE(out.gaps_untouched());
  return out.values();
}

TEST(Sinusoidal, IsAccurateEverywhere) {
  for (const Index dim : {1, 2, 3, 5, 8, 9, 64}) {
    for (const Index offset : {0, 1, 1000, 999999, 1000000, 100000000, -1000000}) {
      for (const double base : {10000.0, 100.0, 500000.0}) {
        const SinusoidalOptions options{
            .length = 3, .dim = dim, .base = base, .layout = SinusoidLayout::interleaved, .offset = offset};
        std::vector<double> want, concatenated;
        for (Index i = 0; i < 3; ++i) {
          std::vector<double> sines, cosines;
          for (Index d = 0; d < dim; ++d) {
            const long double angle =
                static_cast<long double>(offset + i) *
                std::pow(static_cast<long double>(base),
                         -2 * static_cast<long double>(d / 2) / static_cast<long double>(dim));
            const auto x = static_cast<double>(d % 2 == 0 ? std::sin(angle) : std::cos(angle));
            want.push_back(x);
            (d % 2 == 0 ? sines : cosines).push_back(x);
          }
          concatenated.insert(concatenated.end(), sines.begin(), sines.end());
          concatenated.insert(concatenated.end(), cosines.begin(), cosines.end());
        }
        // Frequencies are doubles: 100,000,000 times their rounding shows in the eighth place.
        const Tolerance tolerance{0, offset == 100000000 ? 8e-8 : last_place.absolute};
        EXPECT_TRUE(agree(sinusoids(options), want, tolerance)) << dim << " " << offset << " " << base;
        SinusoidalOptions other = options;
        other.layout = SinusoidLayout::concatenated;
        EXPECT_TRUE(agree(sinusoids(other), concatenated, tolerance)) << dim << " " << offset;
      }
    }
  }
}

TEST(Sinusoidal, StridesOffsetsAndNothing) {
  const std::vector<float> table = sinusoids({.length = 9, .dim = 5});
  for (const Layout layout : layouts) {
    EXPECT_TRUE(same_bits(sinusoids({.length = 9, .dim = 5}, layout), table));
  }
  EXPECT_TRUE(same_bits(sinusoids({.length = 4, .dim = 5, .offset = 5}), {table.begin() + 25, table.end()}));
  EXPECT_TRUE(sinusoids({.length = 0, .dim = 5}).empty());
  EXPECT_TRUE(sinusoids({.length = 5, .dim = 0}).empty());
}

// The rotation matrix carries every row to the one `delta` further on.
TEST(Rotation, CarriesRowsOfTheTable) {
  for (const double delta : {1.0, -3.0, 250.0}) {
    for (const Index dim : {2, 6, 32}) {
      Placed matrix({dim, dim}, Layout::spread_features);
      ASSERT_TRUE(ok(try_rotation(delta, dim, 10000, matrix.view())));
      const std::vector<float> r = matrix.values();
      for (const Index row : {0, 7, 5000}) {
        const std::vector<float> from = sinusoids({.length = 1, .dim = dim, .offset = row});
        const std::vector<float> to =
            sinusoids({.length = 1, .dim = dim, .offset = row + static_cast<Index>(delta)});
        std::vector<double> carried;
        for (Index a = 0; a < dim; ++a) {
          double sum = 0;
          for (Index b = 0; b < dim; ++b) sum += static_cast<double>(r[a * dim + b]) * from[b];
          carried.push_back(sum);
        }
        EXPECT_TRUE(agree(to, carried, {0, 3e-7})) << delta << " " << dim << " " << row;
      }
    }
  }
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(Rotary, OnlyTheDistanceMatters) {
  Numbers numbers(1);
  for (const RotaryLayout layout : {RotaryLayout::half, RotaryLayout::interleaved}) {
    for (const Index dim : {2, 4, 16, 64}) {
      const std::vector<float> a = numbers.list(dim), b = numbers.list(dim);
      const auto at = [&](const std::vector<float>& x, Index position) {
        return rotated(x, {1, dim}, {.offset = position, .layout = layout});
      };
      const double want = dot(at(a, 5), at(b, 3));
      for (const Index shift : {1, 1000, 1000000}) {
        EXPECT_NEAR(dot(at(a, 5 + shift), at(b, 3 + shift)), want, 1e-6) << dim << " " << shift;
      }
      EXPECT_GT(std::fabs(dot(at(a, 9), at(b, 3)) - want), 1e-4);
      // Position 0 turns nothing, and no position changes a length.
      EXPECT_TRUE(same_bits(at(a, 0), a));
      EXPECT_NEAR(dot(at(a, 77), at(a, 77)), dot(a, a), 1e-5);
    }
  }
  // The published pair, by the number.
  const std::vector<float> a = {1, 2, 3, 4}, b = {4, 3, 2, 1};
  for (const Index shift : {0, 1000}) {
    EXPECT_NEAR(dot(rotated(a, {1, 4}, {.offset = 5 + shift}), rotated(b, {1, 4}, {.offset = 3 + shift})),
                -3.456429, 2e-6);
  }
}

TEST(Rotary, IsAccurateEverywhere) {
  Numbers numbers(2);
  for (const Index position : {1, 1000, 1000000, -1000000}) {
    for (const RotaryLayout layout : {RotaryLayout::half, RotaryLayout::interleaved}) {
      const Index dim = 10;
      const std::vector<float> x = numbers.list(dim);
      std::vector<double> want(static_cast<std::size_t>(dim));
      for (Index i = 0; i < dim / 2; ++i) {
        const long double angle =
            static_cast<long double>(position) *
            std::pow(10000.0L, -2 * static_cast<long double>(i) / static_cast<long double>(dim));
        const Index a = layout == RotaryLayout::half ? i : 2 * i;
        const Index b = layout == RotaryLayout::half ? i + dim / 2 : 2 * i + 1;
        want[a] = static_cast<double>(x[a] * std::cos(angle) - x[b] * std::sin(angle));
        want[b] = static_cast<double>(x[b] * std::cos(angle) + x[a] * std::sin(angle));
      }
      EXPECT_TRUE(agree(rotated(x, {1, dim}, {.offset = position, .layout = layout}), want, {6e-8, 1e-9}));
    }
  }
}

TEST(Rotary, PositionsStridesAndPlace) {
  Numbers numbers(3);
  const Shape shape{2, 3, 4, 6};
  const std::vector<float> x = numbers.list(shape.elements());
  for (const auto layout : {RotaryLayout::half, RotaryLayout::interleaved}) {
    for (const std::optional<Index>& dims : {std::optional<Index>(), std::optional<Index>(4),
                                             std::optional<Index>(0)}) {
      const RotaryOptions options{.offset = 10, .layout = layout, .dims = dims};
      const std::vector<float> want = rotated(x, shape, options);
      RotaryOptions listed = options;
      listed.positions = {10, 11, 12, 13};
      listed.offset = 0;
      EXPECT_TRUE(same_bits(rotated(x, shape, listed), want));
      for (const Layout in : layouts) EXPECT_TRUE(same_bits(rotated(x, shape, options, in), want));
      std::vector<float> place(x);
      ASSERT_TRUE(ok(try_rotary({place.data(), shape}, options, {place.data(), shape})));
      EXPECT_TRUE(same_bits(place, want));
      // What lies beyond `dims` passes.
      for (std::size_t n = 0; n < x.size(); ++n) {
        if (static_cast<Index>(n) % 6 >= dims.value_or(6)) {
          EXPECT_EQ(want[n], x[n]);
        }
      }
    }
  }
  EXPECT_TRUE(rotated({}, {2, 0, 6}, {}).empty());
  EXPECT_TRUE(rotated({}, {0, 3, 6}, {}).empty());
  EXPECT_TRUE(rotated({}, {3, 0}, {}).empty());
  // An odd width is fine as long as what turns is even.
  const std::vector<float> odd = {1, 2, 3};
  EXPECT_EQ(rotated(odd, {1, 3}, {.offset = 5, .dims = 2})[2], 3);
}

TEST(Alibi, SlopesFallByAConstantFactor) {
  for (const Index heads : {1, 2, 4, 8, 16, 64}) {
    std::vector<double> slopes(static_cast<std::size_t>(heads));
    ASSERT_TRUE(ok(try_alibi_slopes(heads, slopes.data())));
    for (Index h = 0; h < heads; ++h) {
      EXPECT_DOUBLE_EQ(slopes[h], std::pow(2, -8.0 * static_cast<double>(h + 1) / static_cast<double>(heads)));
    }
  }
  // Between powers of two: those of the smaller, then every other one of the larger.
  for (const Index heads : {3, 5, 6, 7, 12, 24, 33}) {
    Index power = 1;
    while (power * 2 <= heads) power *= 2;
    std::vector<double> slopes(static_cast<std::size_t>(heads)), smaller(static_cast<std::size_t>(power));
    std::vector<double> larger(static_cast<std::size_t>(2 * power));
    ASSERT_TRUE(ok(try_alibi_slopes(heads, slopes.data())));
    ASSERT_TRUE(ok(try_alibi_slopes(power, smaller.data())));
    ASSERT_TRUE(ok(try_alibi_slopes(2 * power, larger.data())));
    for (Index h = 0; h < heads; ++h) {
      EXPECT_DOUBLE_EQ(slopes[h], h < power ? smaller[h] : larger[2 * (h - power)]);
    }
  }
}

TEST(Alibi, IsLinearInTheDistance) {
  for (const Layout layout : layouts) {
    Placed bias({3, 4, 6}, layout);
    ASSERT_TRUE(ok(try_alibi(bias.view())));
    double slopes[3];
    ASSERT_TRUE(ok(try_alibi_slopes(3, slopes)));
    std::vector<double> want;
    for (Index h = 0; h < 3; ++h) {
      for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j < 6; ++j) want.push_back(-slopes[h] * std::fabs(static_cast<double>(i - j)));
      }
    }
    EXPECT_TRUE(agree(bias.values(), want, {6e-8, 0}));
    EXPECT_TRUE(bias.gaps_untouched());
  }
}

TEST(RelativeBias, DependsOnTheDistanceAloneAndReachesEveryBucket) {
  for (const bool both : {true, false}) {
    const RelativeBiasOptions options{.bidirectional = both, .buckets = 8, .max_distance = 20};
    std::vector<float> table;
    for (int bucket = 0; bucket < 8; ++bucket) {
      table.push_back(static_cast<float>(bucket));
      table.push_back(static_cast<float>(100 + bucket));
    }
    constexpr Index length = 60;
    Placed bias({2, length, length}, Layout::transposed);
    ASSERT_TRUE(ok(try_relative_bias({table.data(), {8, 2}}, options, bias.view())));
    const std::vector<float> got = bias.values();
    std::vector<int> seen(8, 0);
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j < length; ++j) {
        const float bucket = got[i * length + j];
        ++seen[static_cast<std::size_t>(bucket)];
        EXPECT_EQ(got[length * length + i * length + j], 100 + bucket);
        if (i > 0 && j > 0) {
          EXPECT_EQ(bucket, got[(i - 1) * length + j - 1]);
        }
        if (j + 1 < i) {  // further away is never a nearer bucket
          EXPECT_GE(bucket, got[i * length + j + 1]);
        }
        EXPECT_EQ(bucket >= 4 && both, j > i && both);
        if (!both && j > i) {
          EXPECT_EQ(bucket, 0);
        }
      }
    }
    // The first bucket of the other direction would be of distance 0, which is not in it.
    for (int bucket = 0; bucket < 8; ++bucket) EXPECT_EQ(seen[bucket] > 0, !(both && bucket == 4)) << bucket;
  }
}

TEST(Binary, CountsInBits) {
  for (const Layout layout : layouts) {
    Placed table({70, 9}, layout);
    ASSERT_TRUE(ok(try_binary(table.view())));
    const std::vector<float> got = table.values();
    for (Index i = 0; i < 70; ++i) {
      Index number = 0;
      for (Index k = 0; k < 9; ++k) {
        ASSERT_TRUE(got[i * 9 + k] == 0 || got[i * 9 + k] == 1);
        number += got[i * 9 + k] != 0 ? Index{1} << k : 0;
      }
      EXPECT_EQ(number, i);
    }
  }
  // More bits than a position has.
  Placed wide({2, 100});
  ASSERT_TRUE(ok(try_binary(wide.view())));
  std::vector<float> want(200, 0);
  want[100] = 1;
  EXPECT_TRUE(same_bits(wide.values(), want));
}

TEST(Learned, IsNormalAndFixedByItsSeed) {
  Placed table({200, 64}), again({200, 64}), other({200, 64}), spread({200, 64}, Layout::spread_features);
  ASSERT_TRUE(ok(try_learned(5, table.view())));
  ASSERT_TRUE(ok(try_learned(5, again.view())));
  ASSERT_TRUE(ok(try_learned(6, other.view())));
  ASSERT_TRUE(ok(try_learned(5, spread.view())));
  const std::vector<float> values = table.values();
  EXPECT_TRUE(same_bits(values, again.values()));
  EXPECT_TRUE(same_bits(values, spread.values()));
  EXPECT_FALSE(same_bits(values, other.values()));
  double mean = 0, square = 0, fourth = 0;
  const double count = static_cast<double>(values.size());
  for (const float value : values) {
    const double x = value / 0.02;
    mean += x / count;
    square += x * x / count;
    fourth += x * x * x * x / count;
  }
  EXPECT_NEAR(mean, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(square, 1, 5 * std::sqrt(2 / count));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96 / count));
}

}  // namespace
}  // namespace qkv::test
