// Pooling, Gaussian windows, the spatial transformer and glimpses, each against its definition in
// float64.
#include <gtest/gtest.h>

#include <limits>

#include "mechanisms/catalogue.hpp"
#include "qkv/picking.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// --- pooling -------------------------------------------------------------------------------------

TEST(Picking, PoolingIsAMeanByTheSoftmaxOfTheProducts) {
  // Scores 2 ln 3 / sqrt(4) and 0: weights 3/4 and 1/4.
  const float product = 2 * std::log(3.0f);
  const float x[] = {1, 0, 0, 8, 0, 1, 0, 4};
  const float query[] = {product, 0, 0, 0, 0, 0, 0, 0};
  Made result(Shape{2, 4});
  ASSERT_TRUE(ok(try_attention_pooling({query, {2, 4}}, {x, {2, 4}}, result)));
  EXPECT_TRUE(agree(elements(result), std::vector<double>{0.75, 0.25, 0, 7, 0.5, 0.5, 0, 6}));
}

TEST(Picking, PoolingServesAllEntriesByOneQuery) {
  Numbers numbers(1);
  const std::vector<float> x = numbers.list(2 * 3 * 9 * 5), query = numbers.list(2 * 5);
  Made all(Shape{2, 3, 2, 5}), one(Shape{2, 5});
  ASSERT_TRUE(ok(try_attention_pooling({query.data(), {2, 5}}, {x.data(), {2, 3, 9, 5}}, all)));
  ASSERT_TRUE(ok(try_attention_pooling({query.data(), {2, 5}}, {x.data() + 4 * 45, {9, 5}}, one)));
  const std::vector<float> got = elements(all);
  EXPECT_TRUE(agree(std::vector<float>(got.begin() + 40, got.begin() + 50), elements(one)));
}

TEST(Picking, PoolingRefusesWidthsThatDiffer) {
  const float numbers[12] = {};
  Made result(Shape{1, 3});
  EXPECT_TRUE(refused(try_attention_pooling({numbers, {1, 3}}, {numbers, {3, 4}}, result),
                      ErrorCode::shape, {"query", "3", "4"}));
  EXPECT_TRUE(refused(try_attention_pooling({numbers, {1, 3}}, {numbers, {3}}, result),
                      ErrorCode::shape, {"x", "rank 1"}));
}

// --- Gaussian windows ----------------------------------------------------------------------------

// One window over x [length, width], relative to the nearest row so that nothing underflows.
std::vector<double> window64(const float* x, Index length, Index width, double center, double spread) {
  std::vector<double> row(static_cast<std::size_t>(width), 0);
  double most = -HUGE_VAL, sum = 0;
  const auto exponent = [&](Index j) {
    const double z = (static_cast<double>(j) - center) / spread;
    return -z * z / 2;
  };
  for (Index j = 0; j < length; ++j) most = std::fmax(most, exponent(j));
  for (Index j = 0; j < length; ++j) {
    const double weight = std::exp(exponent(j) - most);
    sum += weight;
    for (Index d = 0; d < width; ++d) row[static_cast<std::size_t>(d)] += weight * x[j * width + d];
  }
  for (double& number : row) number = length > 0 ? number / sum : 0;
  return row;
}

TEST(Picking, GaussianWindowsFollowTheirDefinition) {
  Numbers numbers(2);
  const std::vector<float> centers = {0, 0.5f, 2.25f, -3, 40, 6, 63.5f, 12.5f};
  const std::vector<float> widths = {1, 0.3f, 0.01f, 2, 5, 1000, 0.7f, 20};
  for (const Index length : {0, 1, 2, 7, 64, 130}) {
    for (const Index width : {0, 1, 5, 16}) {
      const std::vector<float> x = numbers.list(2 * length * width);
      std::vector<double> want;
      for (Index entry = 0; entry < 2; ++entry) {
        for (std::size_t i = 0; i < centers.size(); ++i) {
          const auto row =
              window64(x.data() + entry * length * width, length, width, centers[i], widths[i]);
          want.insert(want.end(), row.begin(), row.end());
        }
      }
      for (const Layout layout : layouts) {
        const Placed from({2, length, width}, x, layout);
        const Placed where({8}, centers, layout), spread({8}, widths, layout);
        Placed result({2, 8, width}, layout, 9);
        ASSERT_TRUE(ok(try_gaussian_window(from.view(), where.view(), spread.view(), result.view())));
        EXPECT_TRUE(agree(result.values(), want)) << length << " x " << width;
        EXPECT_TRUE(result.gaps_untouched());
      }
    }
  }
}

TEST(Picking, GaussianWindowsAlwaysSumToOne) {
  const std::vector<float> ones(100, 1);
  const float centers[] = {0, 50, 99, -1e4f, 1e30f, -1e30f, 49.9f, 50};
  const float widths[] = {3, 1e-30f, 40, 1, 1, 1e-40f, infinity, 1e30f};
  Made result(Shape{8, 1});
  ASSERT_TRUE(ok(try_gaussian_window({ones.data(), {100, 1}}, {centers, {8}}, {widths, {8}}, result)));
  EXPECT_TRUE(agree(elements(result), std::vector<double>(8, 1.0)));
}

TEST(Picking, GaussianWindowsFarOutsideAndNarrowOnesTakeTheNearestRow) {
  const float x[] = {5, 6, 7, 8};
  const float centers[] = {1, 1.4f, 2.6f, -1e6f, 1e30f};
  const float widths[] = {1e-20f, 1e-3f, 1e-3f, 1, 1};
  Made result(Shape{5, 1});
  ASSERT_TRUE(ok(try_gaussian_window({x, {4, 1}}, {centers, {5}}, {widths, {5}}, result)));
  EXPECT_TRUE(same_bits(elements(result), {6, 6, 8, 5, 8}));
  // Infinitely wide ones take the mean; halfway between two rows both count the same.
  const float wide[] = {infinity, 0.01f}, between[] = {0, 1.5f};
  Made two(Shape{2, 1});
  ASSERT_TRUE(ok(try_gaussian_window({x, {4, 1}}, {between, {2}}, {wide, {2}}, two)));
  EXPECT_TRUE(agree(elements(two), std::vector<double>{6.5, 6.5}));
}

// So far that no double holds the distance to the next row; the ratio of their weights is still known.
TEST(Picking, GaussianWindowsFromVeryFar) {
  const float x[] = {0, 1};
  const float centers[] = {-1e19f, 1e19f}, widths[] = {3e9f, 3e9f};
  Made result(Shape{2, 1});
  ASSERT_TRUE(ok(try_gaussian_window({x, {2, 1}}, {centers, {2}}, {widths, {2}}, result)));
  const double spread = widths[0], far = centers[1];
  const double weight = std::exp(-far / (spread * spread));
  EXPECT_TRUE(agree(elements(result), std::vector<double>{weight / (1 + weight), 1 / (1 + weight)}));
}

TEST(Picking, GaussianWindowsDoNotReadWhatWeighsNothing) {
  std::vector<float> x(200, 1);
  x[0] = nan;
  x[150] = infinity;
  // 16 rows away it is exp(-128), 14.6 rows exp(-106.6): float32 ends at exp(-104).
  const float centers[] = {16, 14.6f, 130, 135.4f, nan, infinity, 100};
  const float widths[] = {1, 1, 1, 1, 1, 1, nan};
  Made result(Shape{7, 1});
  ASSERT_TRUE(ok(try_gaussian_window({x.data(), {200, 1}}, {centers, {7}}, {widths, {7}}, result)));
  // The weights and their sum are added up in orders of their own.
  for (const Index i : {0, 1, 2, 3}) EXPECT_NEAR(result[i], 1, 1e-6) << i;
  for (const Index i : {4, 5, 6}) EXPECT_TRUE(std::isnan(result[i])) << i;
  const float near[] = {3, 149};
  Made two(Shape{2, 1});
  ASSERT_TRUE(ok(try_gaussian_window({x.data(), {200, 1}}, {near, {2}}, {widths, {2}}, two)));
  EXPECT_TRUE(std::isnan(two[0]));
  EXPECT_EQ(two[1], infinity);
}

TEST(Picking, GaussianWindowsOfEachEntryAndHead) {
  Numbers numbers(3);
  const std::vector<float> x = numbers.list(3 * 10 * 4);
  const std::vector<float> centers = numbers.list(2 * 3 * 19, 0, 9), widths = numbers.list(3 * 19, 1, 3);
  Made result(Shape{2, 3, 19, 4});
  // x and widths have heads, centers a batch as well.
  ASSERT_TRUE(ok(try_gaussian_window({x.data(), {3, 10, 4}}, {centers.data(), {2, 3, 19}},
                                     {widths.data(), {3, 19}}, result)));
  std::vector<double> want;
  for (Index n = 0; n < 2 * 57; ++n) {
    const Index head = n / 19 % 3;
    const auto row = window64(x.data() + head * 40, 10, 4, centers[n], widths[n % 57]);
    want.insert(want.end(), row.begin(), row.end());
  }
  EXPECT_TRUE(agree(elements(result), want));
}

TEST(Picking, GaussianWindowsRefuseWhatDoesNotFit) {
  const float numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float widths[] = {1, -2};
  Made result(Shape{2, 4});
  const ConstTensorView x(numbers, {2, 4}), two(numbers, {2});
  EXPECT_TRUE(refused(try_gaussian_window(x, two, {widths, {2}}, result), ErrorCode::argument,
                      {"widths", "-2"}));
  const float zero[] = {1, 0};
  EXPECT_TRUE(refused(try_gaussian_window(x, two, {zero, {2}}, result), ErrorCode::argument,
                      {"widths", "saw 0"}));
  EXPECT_TRUE(refused(try_gaussian_window(x, two, {numbers, {3}}, result), ErrorCode::shape,
                      {"centers", "widths", "2", "3"}));
  EXPECT_TRUE(refused(try_gaussian_window(x, {numbers, {3}}, {numbers, {3}}, result),
                      ErrorCode::shape, {"result", "[3, 4]", "[2, 4]"}));
  EXPECT_TRUE(refused(try_gaussian_window({numbers, {2}}, two, two, result), ErrorCode::shape, {"x"}));
  EXPECT_TRUE(refused(try_gaussian_window(x, {numbers, {1, 1, 1, 1, 1, 1, 1, 2}}, two, result),
                      ErrorCode::shape, {"centers"}));
}

// --- spatial transformer -------------------------------------------------------------------------

// One cell of a transform of x [height, width, channels]: the sum over all cells of tent functions.
double tent64(const float* x, Index height, Index width, Index channels, Index channel, double row,
              double column) {
  double sum = 0;
  for (Index r = 0; r < height; ++r) {
    for (Index c = 0; c < width; ++c) {
      sum += std::fmax(0, 1 - std::fabs(row - static_cast<double>(r))) *
             std::fmax(0, 1 - std::fabs(column - static_cast<double>(c))) *
             x[(r * width + c) * channels + channel];
    }
  }
  return sum;
}

std::vector<double> transform64(const float* x, const Shape& map, const float* theta, Index height,
                                Index width) {
  const auto place = [](Index at, Index size) {
    return size == 1 ? 0.0 : -1 + 2.0 * static_cast<double>(at) / static_cast<double>(size - 1);
  };
  std::vector<double> result;
  for (Index r = 0; r < height; ++r) {
    for (Index c = 0; c < width; ++c) {
      const double across = theta[0] * place(c, width) + theta[1] * place(r, height) + theta[2];
      const double down = theta[3] * place(c, width) + theta[4] * place(r, height) + theta[5];
      for (Index channel = 0; channel < map[2]; ++channel) {
        result.push_back(tent64(x, map[0], map[1], map[2], channel,
                                (down + 1) / 2 * static_cast<double>(map[0] - 1),
                                (across + 1) / 2 * static_cast<double>(map[1] - 1)));
      }
    }
  }
  return result;
}

TEST(Picking, SpatialTransformFollowsItsDefinition) {
  Numbers numbers(4);
  const Shape maps[] = {{1, 1, 1}, {2, 3, 1}, {5, 4, 3}, {9, 8, 16}, {1, 7, 2}};
  for (const Shape& map : maps) {
    for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {3, 5}, {8, 2}, {0, 3}}) {
      const std::vector<float> x = numbers.list(2 * map.elements());
      const std::vector<float> theta = numbers.list(12, -1.5f, 1.5f);
      std::vector<double> want;
      for (Index entry = 0; entry < 2; ++entry) {
        const auto part = transform64(x.data() + entry * map.elements(), map,
                                      theta.data() + 6 * entry, height, width);
        want.insert(want.end(), part.begin(), part.end());
      }
      for (const Layout layout : layouts) {
        const Placed from({2, map[0], map[1], map[2]}, x, layout);
        const Placed where({2, 2, 3}, theta, layout);
        Placed result({2, height, width, map[2]}, layout, 9);
        ASSERT_TRUE(ok(try_spatial_transform(from.view(), where.view(), result.view())));
        EXPECT_TRUE(agree(result.values(), want)) << map.to_string() << " to " << height;
        EXPECT_TRUE(result.gaps_untouched());
      }
    }
  }
}

// The identity gives every bit back, whatever lies next to a cell; flips and shifts are exact too.
TEST(Picking, SpatialTransformOfWholeCellsIsExact) {
  Numbers numbers(5);
  for (const Index size : {1, 2, 3, 6, 7, 10, 50}) {
    std::vector<float> x = numbers.list(size * size);
    for (std::size_t n = 0; n < x.size(); n += 3) x[n] = nan;
    Made result(Shape{size, size, 1});
    const float same[] = {1, 0, 0, 0, 1, 0};
    ASSERT_TRUE(ok(try_spatial_transform({x.data(), {size, size, 1}}, {same, {2, 3}}, result)));
    EXPECT_TRUE(same_bits(elements(result), x)) << size;
    const float turned[] = {-1, 0, 0, 0, -1, 0};
    ASSERT_TRUE(ok(try_spatial_transform({x.data(), {size, size, 1}}, {turned, {2, 3}}, result)));
    EXPECT_TRUE(same_bits(elements(result), std::vector<float>(x.rbegin(), x.rend()))) << size;
    const float swapped[] = {0, 1, 0, 1, 0, 0};  // columns and rows
    ASSERT_TRUE(ok(try_spatial_transform({x.data(), {size, size, 1}}, {swapped, {2, 3}}, result)));
    for (Index n = 0; n < size * size; ++n) {
      const float want = x[static_cast<std::size_t>(n % size * size + n / size)];
      EXPECT_TRUE(result[n] == want || (std::isnan(want) && std::isnan(result[n])));
    }
  }
}

TEST(Picking, SpatialTransformByHand) {
  const float x[] = {1, 2, 3, 4, 5, 6};  // 2 x 3
  // A quarter of a cell to the right, and half of it beyond the edge below.
  const float theta[] = {0, 0, 0.25f, 0, 0, 2};
  Made one(Shape{1, 1, 1});
  ASSERT_TRUE(ok(try_spatial_transform({x, {2, 3, 1}}, {theta, {2, 3}}, one)));
  EXPECT_EQ(one[0], 0.5f * (0.75f * 5 + 0.25f * 6));
  const float outside[] = {0, 0, 0, 0, 0, 3};
  ASSERT_TRUE(ok(try_spatial_transform({x, {2, 3, 1}}, {outside, {2, 3}}, one)));
  EXPECT_EQ(one[0], 0);
  const float unknown[] = {0, 0, 0, 0, nan, 3};
  ASSERT_TRUE(ok(try_spatial_transform({x, {2, 3, 1}}, {unknown, {2, 3}}, one)));
  EXPECT_TRUE(std::isnan(one[0]));
  const float far[] = {0, 0, 0, 0, 0, infinity};
  ASSERT_TRUE(ok(try_spatial_transform({x, {2, 3, 1}}, {far, {2, 3}}, one)));
  EXPECT_EQ(one[0], 0);
}

TEST(Picking, SpatialTransformRefusesWhatDoesNotFit) {
  const float numbers[12] = {};
  Made result(Shape{2, 2, 1});
  const ConstTensorView x(numbers, {3, 4, 1});
  EXPECT_TRUE(refused(try_spatial_transform(x, {numbers, {3, 2}}, result), ErrorCode::shape,
                      {"theta", "[2, 3]", "[3, 2]"}));
  EXPECT_TRUE(refused(try_spatial_transform({numbers, {3, 4}}, {numbers, {2, 3}}, result),
                      ErrorCode::shape, {"x", "rank 2"}));
  EXPECT_TRUE(refused(try_spatial_transform({numbers, {2, 3, 2}}, {numbers, {2, 3}}, result),
                      ErrorCode::shape, {"result", "[2, 2, 2]", "[2, 2, 1]"}));
  EXPECT_TRUE(refused(try_spatial_transform({numbers, {2, 6, 1, 1}}, {numbers, {2, 3}}, result),
                      ErrorCode::shape, {"result"}));
  Shape shape;
  EXPECT_TRUE(refused(spatial_transform_shape(x, {numbers, {2, 3}}, -1, 2, shape), ErrorCode::shape,
                      {"[-1, 2, 1]"}));
}

// --- glimpse -------------------------------------------------------------------------------------

TEST(Picking, GlimpseCropsAroundTheCentre) {
  Numbers numbers(6);
  for (const Shape& map : {Shape{4, 5, 1}, Shape{1, 9, 3}, Shape{7, 7, 2}}) {
    for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {3, 3}, {2, 4}, {20, 20}}) {
      for (const Layout layout : layouts) {
        const std::vector<float> x = numbers.list(2 * map.elements());
        // One centre inside; another far off for the second entry.
        const std::vector<float> centers = {static_cast<float>(map[0] / 2), 2, -2, 1000};
        const Placed from({2, map[0], map[1], map[2]}, x, layout);
        const Placed where({2, 2}, centers, layout);
        Placed result({2, height, width, map[2]}, layout, 9);
        ASSERT_TRUE(ok(try_glimpse(from.view(), where.view(), result.view())));
        std::vector<float> want;
        for (Index entry = 0; entry < 2; ++entry) {
          for (Index r = 0; r < height; ++r) {
            for (Index c = 0; c < width; ++c) {
              const Index row = static_cast<Index>(centers[2 * entry]) + r - height / 2;
              const Index column = static_cast<Index>(centers[2 * entry + 1]) + c - width / 2;
              const bool in = row >= 0 && row < map[0] && column >= 0 && column < map[1];
              for (Index d = 0; d < map[2]; ++d) {
                want.push_back(in ? x[entry * map.elements() + (row * map[1] + column) * map[2] + d] : 0);
              }
            }
          }
        }
        EXPECT_TRUE(same_bits(result.values(), want)) << map.to_string();
        EXPECT_TRUE(result.gaps_untouched());
      }
    }
  }
}

TEST(Picking, GlimpseDoesNotReadOutside) {
  const float x[] = {nan, 1, 2, 3, 4, nan};
  const float center[] = {0, 3}, far[] = {-1e30f, 3e38f};
  Made result(Shape{1, 4, 1});
  ASSERT_TRUE(ok(try_glimpse({x, {1, 6, 1}}, {center, {2}}, result)));
  EXPECT_TRUE(same_bits(elements(result), {1, 2, 3, 4}));
  ASSERT_TRUE(ok(try_glimpse({x, {1, 6, 1}}, {far, {2}}, result)));
  EXPECT_TRUE(same_bits(elements(result), {0, 0, 0, 0}));
}

TEST(Picking, GlimpseRefusesWhatDoesNotFit) {
  const float numbers[12] = {};
  Made result(Shape{2, 2, 1});
  const ConstTensorView x(numbers, {3, 4, 1});
  for (const auto& [place, word] : {std::pair<float, const char*>{1.5f, "1.5"}, {nan, "NaN"},
                                    {infinity, "Infinity"}}) {
    const float center[] = {1, place};
    EXPECT_TRUE(refused(try_glimpse(x, {center, {2}}, result), ErrorCode::argument, {"center", word}));
  }
  EXPECT_TRUE(refused(try_glimpse(x, {numbers, {3}}, result), ErrorCode::shape,
                      {"center", "[2]", "[3]"}));
}

// --- all -----------------------------------------------------------------------------------------

TEST(Picking, ThreadsDoNotChangeResults) {
  Numbers numbers(7);
  const std::vector<float> x = numbers.list(600 * 64), centers = numbers.list(500, 0, 600);
  const std::vector<float> widths = numbers.list(500, 1, 60), theta = numbers.list(6);
  expect_same_on_any_threads([&] {
    Made windows(Shape{500, 64});
    EXPECT_TRUE(ok(try_gaussian_window({x.data(), {600, 64}}, {centers.data(), {500}},
                                       {widths.data(), {500}}, windows)));
    return elements(windows);
  });
  expect_same_on_any_threads([&] {
    Made map(Shape{200, 200, 64});
    EXPECT_TRUE(ok(try_spatial_transform({x.data(), {20, 30, 64}}, {theta.data(), {2, 3}}, map)));
    return elements(map);
  });
}

#if defined(__cpp_exceptions)
TEST(Picking, ThrowingTwinsFindTheShape) {
  const float numbers[24] = {};
  const float widths[] = {1, 1};
  EXPECT_EQ(attention_pooling({numbers, {2, 3}}, {numbers, {2, 4, 3}}).shape().to_string(), "[2, 2, 3]");
  EXPECT_EQ(gaussian_window({numbers, {3, 4, 2}}, {numbers, {2}}, {widths, {2}}).shape().to_string(),
            "[3, 2, 2]");
  EXPECT_EQ(spatial_transform({numbers, {3, 4, 2}}, {numbers, {2, 3}}, 5, 6).shape().to_string(),
            "[5, 6, 2]");
  EXPECT_EQ(glimpse({numbers, {3, 4, 2}}, {numbers, {3, 1, 2}}, 5, 6).shape().to_string(),
            "[3, 1, 5, 6, 2]");
}
#endif

TEST(Picking, CatalogueEntriesRun) {
  Numbers numbers(8);
  for (const Mechanism* mechanism :
       {&catalogue::hard, &catalogue::location_soft, &catalogue::location_hard}) {
    EXPECT_EQ(mechanism->pattern, nullptr);
    std::vector<double> parameters;
    for (const MechanismParameter& parameter : mechanism->parameters) {
      parameters.push_back(parameter.value);
    }
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const Shape shape{2, n, d};
        const std::vector<float> x = numbers.list(shape.elements());
        Made result(mechanism->shape != nullptr ? mechanism->shape(shape, parameters.data()) : shape);
        ASSERT_TRUE(ok(try_run(*mechanism, {x.data(), shape}, parameters, result)))
            << mechanism->name;
        for (const float number : elements(result)) ASSERT_TRUE(std::isfinite(number));
        const MechanismCost cost = mechanism->cost(n, d, parameters.data());
        EXPECT_TRUE(cost.multiply_adds >= 0 && cost.bytes >= 0);
      }
    }
  }
}

TEST(Picking, CatalogueEntriesByHand) {
  const float x[] = {1, 0, 0, 3, 1, 1};  // three tokens; the second is the longest
  Made hard(Shape{3, 2});
  ASSERT_TRUE(ok(try_run(catalogue::hard, {x, {3, 2}}, {}, hard)));
  EXPECT_TRUE(same_bits(elements(hard), {1, 0, 0, 3, 0, 3}));  // of 1 and 1 the first
  const double size = 2, width = 1e6;
  Made crop(Shape{2, 2}), mean(Shape{3, 2});
  ASSERT_TRUE(ok(try_run(catalogue::location_hard, {x, {3, 2}}, {&size, 1}, crop)));
  EXPECT_TRUE(same_bits(elements(crop), {1, 0, 0, 3}));
  ASSERT_TRUE(ok(try_run(catalogue::location_soft, {x, {3, 2}}, {&width, 1}, mean)));
  EXPECT_TRUE(agree(elements(mean),
                    std::vector<double>{2 / 3., 4 / 3., 2 / 3., 4 / 3., 2 / 3., 4 / 3.}));
  EXPECT_TRUE(refused(try_run(catalogue::location_hard, {x, {3, 2}}, {&size, 1}, mean), ErrorCode::shape,
                      {"[2, 2]", "[3, 2]"}));
}

}  // namespace
}  // namespace qkv::test
