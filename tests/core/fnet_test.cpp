// FNet and its transforms against sums written out in double precision, at every kind of length.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/fourier.hpp"
#include "qkv/mixers.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr double pi = 3.14159265358979323846;

// cos and sin of 2 pi t / n for all t.
struct Circle {
  explicit Circle(Index n) {
    for (Index t = 0; t < n; ++t) {
      cosine.push_back(std::cos(2 * pi * static_cast<double>(t) / static_cast<double>(n)));
      sine.push_back(std::sin(2 * pi * static_cast<double>(t) / static_cast<double>(n)));
    }
  }
  std::vector<double> cosine, sine;
};

// Rows `rows` of the result for x [n, d]: features first, then tokens.
std::vector<double> reference(const std::vector<float>& x, Index n, Index d,
                              const std::vector<Index>& rows) {
  const Circle features(d), tokens(n);
  std::vector<double> re(x.size()), im(x.size()), result;
  for (Index t = 0; t < n; ++t) {
    for (Index m = 0; m < d; ++m) {
      for (Index s = 0; s < d; ++s) {
        re[t * d + m] += x[t * d + s] * features.cosine[m * s % d];
        im[t * d + m] -= x[t * d + s] * features.sine[m * s % d];
      }
    }
  }
  for (const Index k : rows) {
    for (Index m = 0; m < d; ++m) {
      double sum = 0;
      for (Index t = 0; t < n; ++t) {
        // The real part of (re + i im)(cos - i sin).
        sum += re[t * d + m] * tokens.cosine[k * t % n] + im[t * d + m] * tokens.sine[k * t % n];
      }
      result.push_back(sum);
    }
  }
  return result;
}

std::vector<Index> all_rows(Index n) {
  std::vector<Index> rows;
  for (Index k = 0; k < n; ++k) rows.push_back(k);
  return rows;
}

std::vector<float> mixed(const std::vector<float>& x, const Shape& shape) {
  std::vector<float> result(x.size(), 9.0f);
  EXPECT_TRUE(ok(try_fnet({x.data(), shape}, {result.data(), shape})));
  return result;
}

// A share of the largest value of the result, as every output is a sum of all inputs.
Tolerance of_largest(const std::vector<double>& want, double share) {
  double largest = 0;
  for (const double value : want) largest = std::fmax(largest, std::fabs(value));
  return {0, share * largest};
}

TEST(Fnet, SmallByHand) {
  EXPECT_EQ(mixed({1, 2, 3, 4}, {2, 2}), (std::vector<float>{10, -2, -4, 0}));
  EXPECT_TRUE(agree(mixed({1, 2, 3, 4, 5, 6}, {3, 2}),
                    std::vector<double>{21, -3, -6, 0, -6, 0}));
  // A row of padding is a token like any other: the rows of real tokens change.
  EXPECT_TRUE(agree(mixed({1, 2, 3, 4, 0, 0}, {3, 2}),
                    std::vector<double>{10, -2, -0.5, -0.5, -0.5, -0.5}));
  EXPECT_EQ(mixed({7}, {1, 1}), (std::vector<float>{7}));
}

// Powers of 2, 3, 5, their products, other small factors, primes for the chirp, and twice a prime.
TEST(Fnet, EveryKindOfLength) {
  Numbers numbers(1);
  for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 25, 27, 32, 34, 49, 60, 63, 64,
                        65, 77, 101, 121, 128, 130, 169}) {
    for (const Index d : {1, 2, 3, 7, 8, 17, 30, 33, 40}) {
      const std::vector<float> x = numbers.list(n * d);
      const std::vector<double> want = reference(x, n, d, all_rows(n));
      // Rounding errors of the steps; measured 3e-7 at most.
      ASSERT_TRUE(agree(mixed(x, {n, d}), want, of_largest(want, 1e-6))) << n << " " << d;
    }
  }
}

TEST(Fnet, LongSequencesStayAccurate) {
  Numbers numbers(2);
  for (const Index n : {4096, 4095, 4099, 8198}) {
    const Index d = 6;
    const std::vector<float> x = numbers.list(n * d);
    const std::vector<Index> rows{0, 1, 2, 77, n / 2, n - 2, n - 1};
    const std::vector<double> want = reference(x, n, d, rows);
    const std::vector<float> all = mixed(x, {n, d});
    std::vector<float> got;
    double largest = 0;
    for (const float value : all) largest = std::fmax(largest, std::fabs(value));
    for (const Index k : rows) got.insert(got.end(), all.begin() + k * d, all.begin() + (k + 1) * d);
    EXPECT_TRUE(agree(got, want, {0, 1e-6 * largest})) << n;
  }
}

// Applied twice the transform gives n d x, tokens and features mirrored: for the real parts alone
// the even half of it, so that a symmetric input comes back.
TEST(Fnet, TwiceGivesASymmetricInputBack) {
  constexpr Index n = 60, d = 35;
  Numbers numbers(3);
  std::vector<float> x(n * d);
  for (Index t = 0; t < n; ++t) {
    for (Index m = 0; m < d; ++m) {
      const float value = numbers.uniform();
      x[t * d + m] = x[(n - t) % n * d + (d - m) % d] = value;
    }
  }
  std::vector<double> want(x.begin(), x.end());
  for (double& value : want) value *= n * d;
  EXPECT_TRUE(agree(mixed(mixed(x, {n, d}), {n, d}), want, of_largest(want, 1e-6)));
}

TEST(Fnet, BatchesStridesAndEmptySizes) {
  const Shape shape{2, 3, 21, 18};
  const std::vector<float> x = Numbers(4).list(shape.elements());
  std::vector<float> want;
  for (Index entry = 0; entry < 6; ++entry) {
    const std::vector<float> one(x.begin() + entry * 378, x.begin() + (entry + 1) * 378);
    const std::vector<float> result = mixed(one, {21, 18});
    want.insert(want.end(), result.begin(), result.end());
  }
  for (const Layout layout : layouts) {
    const Placed from(shape, x, layout);
    Placed to(shape, layouts[2], 9);
    ASSERT_TRUE(ok(try_fnet(from.view(), to.view())));
    EXPECT_TRUE(same_bits(to.values(), want));
    EXPECT_TRUE(to.gaps_untouched());
  }
  for (const Shape& empty : {Shape{0, 4}, Shape{4, 0}, Shape{0, 3, 4}}) {
    EXPECT_TRUE(ok(try_fnet({nullptr, empty}, {nullptr, empty})));
  }
}

TEST(Fnet, NanReachesItsOwnEntryOnly) {
  std::vector<float> x = Numbers(5).list(2 * 20 * 5);
  const std::vector<float> before = mixed(x, {2, 20, 5});
  x[33] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> after = mixed(x, {2, 20, 5});
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(std::isnan(after[i])) << i;
  EXPECT_TRUE(same_bits({after.begin() + 100, after.end()}, {before.begin() + 100, before.end()}));
}

TEST(Fnet, ThreadsChangeNoBit) {
  const std::vector<float> x = Numbers(6).list(3 * 515 * 70);
  expect_same_on_any_threads([&] { return mixed(x, {3, 515, 70}); });
}

TEST(Fnet, RefusesWhatDoesNotFit) {
  float numbers[12] = {};
  const ErrorCode shape = ErrorCode::shape;
  EXPECT_TRUE(refused(try_fnet({numbers, {12}}, {numbers, {12}}), shape, {"x", "rank 1"}));
  EXPECT_TRUE(refused(try_fnet({numbers, {3, 4}}, {numbers, {4, 3}}), shape,
                      {"result", "[3, 4]", "[4, 3]"}));
  EXPECT_TRUE(refused(try_fnet({nullptr, {3, 4}}, {numbers, {3, 4}}), ErrorCode::argument, {"data"}));
}

TEST(Fourier, FindsSmoothLengths) {
  EXPECT_TRUE(SmoothFourier::takes(1));
  EXPECT_TRUE(SmoothFourier::takes(2 * 3 * 5 * 7 * 11 * 13));
  EXPECT_FALSE(SmoothFourier::takes(17));
  EXPECT_FALSE(SmoothFourier::takes(2 * 19));
  EXPECT_EQ(SmoothFourier::at_least(1), 1);
  EXPECT_EQ(SmoothFourier::at_least(7), 8);
  EXPECT_EQ(SmoothFourier::at_least(8193), 8640);
}

// A prime length costs a few times as much as its neighbour and not its square.
TEST(Fourier, CostGrowsAsNLogN) {
  EXPECT_LT(Hartley::multiply_adds(65537), 8 * Hartley::multiply_adds(65536));
  EXPECT_GT(Hartley::multiply_adds(65536), 65536.0 * 15);
}

TEST(Fnet, CatalogueEntry) {
  const Mechanism& entry = catalogue::fnet;
  for (const Index n : {1, 5, 64, 100}) {
    for (const Index d : {3, 8}) {
      const std::vector<float> x = Numbers(7).list(n * d);
      std::vector<float> result(x.size(), NAN);
      ASSERT_TRUE(ok(try_run(entry, {x.data(), {n, d}}, {}, {result.data(), {n, d}})));
      EXPECT_TRUE(same_bits(result, mixed(x, {n, d})));
      EXPECT_GE(entry.cost(n, d, nullptr).bytes, 4.0 * n * d);
    }
  }
}

}  // namespace
}  // namespace qkv::test
