// Routing attention and the k-means that finds its centroids, against their definitions in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "mechanisms/catalogue.hpp"
#include "qkv/content.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// One head.
struct RoutingCase {
  Index length = 0, width = 5, value_width = 3, clusters = 2, window = 4;
  bool causal = false;
  std::vector<float> x, value, centroids;

  void fill(std::uint64_t seed) {
    Numbers numbers(seed);
    x = numbers.list(length * width, -3, 3);
    value = numbers.list(length * value_width);
    centroids = numbers.list(clusters * width);
  }
  RoutingOptions options() const {
    RoutingOptions options;
    options.centroids = {centroids.data(), {clusters, width}};
    options.window_size = window;
    options.causal = causal;
    return options;
  }
  std::vector<float> run(std::vector<float>* clusters_of = nullptr) const {
    const Shape shape{length, value_width};
    std::vector<float> result(static_cast<std::size_t>(shape.elements()), not_a_number);
    RoutingOptions asked = options();
    if (clusters_of != nullptr) {
      clusters_of->assign(static_cast<std::size_t>(clusters * length), not_a_number);
      asked.cluster_of = {clusters_of->data(), {clusters, length}};
    }
    EXPECT_TRUE(ok(try_routing_attention({x.data(), {length, width}}, {value.data(), shape},
                                         {result.data(), shape}, asked)));
    return result;
  }
};

std::vector<double> unit_rows(const std::vector<float>& x, Index width) {
  std::vector<double> unit(x.begin(), x.end());
  for (std::size_t row = 0; row < unit.size(); row += static_cast<std::size_t>(width)) {
    double squares = 0;
    for (Index d = 0; d < width; ++d) squares += unit[row + d] * unit[row + d];
    for (Index d = 0; d < width && squares > 0; ++d) unit[row + d] /= std::sqrt(squares);
  }
  return unit;
}

double product(const double* a, const float* b, Index width) {
  double sum = 0;
  for (Index d = 0; d < width; ++d) sum += a[d] * b[d];
  return sum;
}

// The tokens of a cluster, in order.
std::vector<Index> tokens_of(const RoutingCase& c, const std::vector<double>& unit, Index cluster) {
  std::vector<Index> order(static_cast<std::size_t>(c.length));
  std::vector<double> similarity;
  for (Index t = 0; t < c.length; ++t) {
    similarity.push_back(
        product(unit.data() + t * c.width, c.centroids.data() + cluster * c.width, c.width));
  }
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return similarity[a] > similarity[b]; });
  order.resize(static_cast<std::size_t>(std::min(c.window, c.length)));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<double> definition(const RoutingCase& c) {
  const std::vector<double> unit = unit_rows(c.x, c.width);
  std::vector<double> result(static_cast<std::size_t>(c.length * c.value_width), 0.0);
  std::vector<double> counts(static_cast<std::size_t>(c.length), 0.0);
  for (Index cluster = 0; cluster < c.clusters; ++cluster) {
    const std::vector<Index> tokens = tokens_of(c, unit, cluster);
    for (const Index query : tokens) {
      std::vector<std::pair<Index, double>> scores;
      double maximum = -HUGE_VAL, sum = 0;
      for (const Index key : tokens) {
        if (c.causal && key > query) continue;
        double score = product(unit.data() + key * c.width, c.x.data() + query * c.width, c.width) /
                       std::sqrt(c.width);
        if (key == query) score = -5e4;  // as the published code has it
        scores.emplace_back(key, score);
        maximum = std::fmax(maximum, score);
      }
      for (const auto& [key, score] : scores) sum += std::exp(score - maximum);
      for (const auto& [key, score] : scores) {
        for (Index d = 0; d < c.value_width; ++d) {
          result[query * c.value_width + d] +=
              std::exp(score - maximum) / sum * c.value[key * c.value_width + d];
        }
      }
      ++counts[query];
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] /= std::fmax(counts[i / static_cast<std::size_t>(c.value_width)], 1);
  }
  return result;
}

RoutingCase case_of(Index length, Index clusters, Index window, bool causal, std::uint64_t seed) {
  RoutingCase c;
  c.length = length;
  c.clusters = clusters;
  c.window = window;
  c.causal = causal;
  c.fill(seed);
  return c;
}

TEST(Routing, IsItsDefinition) {
  std::uint64_t seed = 0;
  for (const Index length : {1, 2, 7, 63, 64, 65, 130}) {
    for (const Index clusters : {0, 1, 3, 12}) {
      for (const Index window : {1, 5, 64, 1000}) {
        for (const bool causal : {false, true}) {
          const RoutingCase c = case_of(length, clusters, window, causal, ++seed);
          EXPECT_TRUE(agree(c.run(), definition(c)))
              << length << " tokens, " << clusters << " clusters of " << window
              << (causal ? ", causal" : "");
        }
      }
    }
  }
}

// More clusters than attend at once, and windows longer than that.
TEST(Routing, LongSequencesInSeveralPieces) {
  for (const Index window : {100, 2300}) {
    const RoutingCase c = case_of(2400, window == 100 ? 45 : 1, window, window == 100, 31);
    EXPECT_TRUE(agree(c.run(), definition(c)));
  }
}

// More similarities than are held at once.
TEST(Routing, ManyTokensInSeveralBlocks) {
  RoutingCase c;
  c.length = 70000;
  c.width = 3;
  c.value_width = 1;
  c.clusters = 64;
  c.window = 2;
  c.fill(32);
  std::vector<float> taken;
  const std::vector<float> result = c.run(&taken);
  const std::vector<double> unit = unit_rows(c.x, c.width);
  std::vector<bool> any(static_cast<std::size_t>(c.length), false);
  for (Index cluster = 0; cluster < c.clusters; ++cluster) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    Index count = 0;
    for (Index t = 0; t < c.length; ++t) {
      const double similarity =
          product(unit.data() + t * c.width, c.centroids.data() + cluster * c.width, c.width);
      if (taken[cluster * c.length + t] == 1) {
        ++count;
        any[t] = true;
        least = std::fmin(least, similarity);
      } else {
        most = std::fmax(most, similarity);
      }
    }
    EXPECT_EQ(count, c.window);
    EXPECT_GE(least, most - 1e-6) << cluster;
  }
  Index wrong = 0;
  for (Index t = 0; t < c.length; ++t) wrong += (result[t] != 0) == any[t] ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

TEST(Routing, OneWindowForAllIsExactAttention) {
  for (const bool causal : {false, true}) {
    const RoutingCase c = case_of(90, 1, 90, causal, 33);
    const std::vector<double> unit = unit_rows(c.x, c.width);
    const std::vector<float> keys(unit.begin(), unit.end());
    AttentionOptions exact;
    exact.mask = causal ? mask::causal(-1) : mask::negate(mask::window(0, 0));
    std::vector<float> want(c.value.size());
    ASSERT_TRUE(ok(try_attention({c.x.data(), {90, 5}}, {keys.data(), {90, 5}},
                                 {c.value.data(), {90, 3}}, {want.data(), {90, 3}}, exact)));
    if (causal) std::copy_n(c.value.begin(), 3, want.begin());
    EXPECT_TRUE(agree(c.run(), want));
  }
}

// Tokens along the axes: products are exact and mostly equal.
TEST(Routing, TiesGoToTheEarlier) {
  RoutingCase c = case_of(7, 3, 3, false, 34);
  c.width = 2;
  c.x = {2, 0, 0, 3, 4, 0, 0, 5, 1, 0, -1, 0, 0, 0};
  c.centroids = {1, 0, 0, -1, 0, 0};
  std::vector<float> taken;
  c.run(&taken);
  EXPECT_EQ(taken, (std::vector<float>{1, 0, 1, 0, 1, 0, 0,    // all that point its way
                                       1, 0, 1, 0, 1, 0, 0,    // the first three at right angles
                                       1, 1, 1, 0, 0, 0, 0}));  // the first three
  c.window = 4;
  c.run(&taken);
  EXPECT_EQ(taken, (std::vector<float>{1, 1, 1, 0, 1, 0, 0,    // and the first at a right angle
                                       1, 0, 1, 0, 1, 1, 0,    // -0 is as much as 0
                                       1, 1, 1, 1, 0, 0, 0}));
}

// The largest of many, whatever their order.
TEST(Routing, ChoosesAmongManyInAnyOrder) {
  constexpr Index length = 1500;
  Numbers numbers(42);
  for (int order = 0; order < 6; ++order) {
    for (const Index window : {1, 7, 200, 1499, 1500}) {
      RoutingCase c = case_of(length, 1, window, false, 43);
      c.width = 2;
      c.centroids = {1, 0};
      std::vector<double> angles;
      for (Index t = 0; t < length; ++t) {
        const double step = static_cast<double>(t) / length;  // rising, falling, steps, any, equal
        angles.push_back(order == 0   ? 3 - 3 * step
                         : order == 1 ? 3 * step
                         : order == 2 ? static_cast<double>(t % 3)
                         : order != 4 ? numbers.uniform(0, 3)
                                      : 1);
        c.x[t * 2] = static_cast<float>(std::cos(angles.back()));
        c.x[t * 2 + 1] = static_cast<float>(std::sin(angles.back()));
      }
      if (order == 3) c.x[20] = c.x[2900] = not_a_number;
      for (Index t = 0; t < 1200 && order == 5; ++t) c.x[t * 2] = not_a_number;
      std::vector<float> taken;
      c.run(&taken);
      std::vector<Index> tokens(length);
      std::iota(tokens.begin(), tokens.end(), Index{0});
      const auto angle = [&](Index t) { return std::isnan(c.x[t * 2]) ? 4 : angles[t]; };
      std::stable_sort(tokens.begin(), tokens.end(),
                       [&](Index a, Index b) { return angle(a) < angle(b); });
      std::vector<float> want(length, 0.0f);
      for (Index i = 0; i < window; ++i) want[static_cast<std::size_t>(tokens[i])] = 1;
      EXPECT_EQ(taken, want) << order << " " << window;
    }
  }
}

TEST(Routing, WeightsSumToOneAndUnchosenTokensAreZero) {
  RoutingCase c = case_of(100, 4, 10, true, 35);
  std::fill(c.value.begin(), c.value.end(), 1.0f);
  std::vector<float> taken;
  const std::vector<float> result = c.run(&taken);
  Index zeros = 0;
  for (Index t = 0; t < 100; ++t) {
    float any = 0;
    for (Index cluster = 0; cluster < 4; ++cluster) any = std::max(any, taken[cluster * 100 + t]);
    zeros += any == 0 ? 1 : 0;
    for (Index d = 0; d < 3; ++d) EXPECT_NEAR(result[t * 3 + d], any, any == 0 ? 0 : 1e-6);
  }
  EXPECT_GE(zeros, 60);
}

TEST(Routing, CausalInsideACluster) {
  RoutingCase c = case_of(120, 5, 40, true, 36);
  const std::vector<float> before = c.run();
  for (std::size_t i = 80 * 3; i < c.value.size(); ++i) c.value[i] = not_a_number;
  const std::vector<float> after = c.run();
  EXPECT_TRUE(same_bits({before.begin(), before.begin() + 240},
                        {after.begin(), after.begin() + 240}));
}

// A token that is not a number is like no centroid, and what is not taken is not read.
TEST(Routing, NanStaysWithItsToken) {
  RoutingCase c = case_of(60, 3, 20, false, 37);
  c.x[30 * 5 + 1] = not_a_number;
  std::vector<float> taken;
  const std::vector<float> result = c.run(&taken);
  for (Index cluster = 0; cluster < 3; ++cluster) EXPECT_EQ(taken[cluster * 60 + 30], 0);
  for (const float number : result) EXPECT_TRUE(std::isfinite(number));
  // In a value: those that share a cluster with it, and not itself.
  c.fill(37);
  c.clusters = 1;
  const std::vector<Index> tokens = tokens_of(c, unit_rows(c.x, 5), 0);
  c.value[tokens[4] * 3] = not_a_number;
  const std::vector<float> spread = c.run();
  for (Index t = 0; t < 60; ++t) {
    const bool shares = std::find(tokens.begin(), tokens.end(), t) != tokens.end();
    EXPECT_EQ(std::isnan(spread[t * 3]), shares && t != tokens[4]) << t;
  }
}

TEST(Routing, HeadsAndStrides) {
  RoutingCase all = case_of(4 * 50, 3, 9, false, 38);
  const std::vector<float> centroids = Numbers(39).list(2 * 3 * 5);
  for (const Layout layout : layouts) {
    const Placed x({2, 2, 50, 5}, all.x, layout), value({2, 2, 50, 3}, all.value, layout);
    const Placed placed({2, 3, 5}, centroids, layout);  // of each head
    Placed result({2, 2, 50, 3}, layout), clusters({2, 2, 3, 50}, layout);
    RoutingOptions options = all.options();
    options.centroids = placed.view();
    options.cluster_of = clusters.view();
    ASSERT_TRUE(ok(try_routing_attention(x.view(), value.view(), result.view(), options)));
    EXPECT_TRUE(result.gaps_untouched() && clusters.gaps_untouched());
    std::vector<double> want;
    std::vector<float> want_clusters;
    for (Index head = 0; head < 4; ++head) {
      RoutingCase one = all;
      one.length = 50;
      one.x.assign(all.x.begin() + head * 250, all.x.begin() + (head + 1) * 250);
      one.value.assign(all.value.begin() + head * 150, all.value.begin() + (head + 1) * 150);
      one.centroids.assign(centroids.begin() + head % 2 * 15,
                           centroids.begin() + (head % 2 + 1) * 15);
      const std::vector<double> part = definition(one);
      want.insert(want.end(), part.begin(), part.end());
      std::vector<float> taken;
      one.run(&taken);
      want_clusters.insert(want_clusters.end(), taken.begin(), taken.end());
    }
    EXPECT_TRUE(agree(result.values(), want));
    EXPECT_EQ(clusters.values(), want_clusters);
  }
}

TEST(Routing, ThreadsChangeNoBit) {
  RoutingCase c = case_of(3000, 50, 80, true, 40);
  expect_same_on_any_threads([&] { return c.run(); });
}

TEST(Routing, NothingToDo) {
  float some[24] = {};
  RoutingOptions options;
  options.window_size = 3;
  options.centroids = {some, {2, 4}};
  for (const Shape& shape : {Shape{0, 4}, Shape{2, 0, 4}, Shape{0, 3, 4}}) {
    EXPECT_TRUE(ok(try_routing_attention({some, shape}, {some, shape}, {some, shape}, options)));
  }
  float result[3] = {7, 7, 7};
  options.centroids = {nullptr, {0, 4}};
  EXPECT_TRUE(ok(try_routing_attention({some, {3, 4}}, {some, {3, 1}}, {result, {3, 1}}, options)));
  for (const float number : result) EXPECT_EQ(number, 0);
}

TEST(Routing, RefusesWhatDoesNotFit) {
  const float some[64] = {};
  float result[12] = {};
  const ConstTensorView qk(some, {3, 4}), value(some, {3, 4});
  const TensorView to(result, {3, 4});
  const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;
  const auto with = [&](auto change) {
    RoutingOptions options;
    options.centroids = {some, {2, 4}};
    options.window_size = 2;
    change(options);
    return try_routing_attention(qk, value, to, options);
  };
  EXPECT_TRUE(ok(with([](RoutingOptions&) {})));
  EXPECT_TRUE(refused(with([](RoutingOptions& o) { o.window_size = 0; }), argument,
                      {"windowSize", "0"}));
  EXPECT_TRUE(refused(with([](RoutingOptions& o) { o.centroids = {}; }), argument, {"centroids"}));
  EXPECT_TRUE(refused(with([&](RoutingOptions& o) { o.centroids = {some, {2, 5}}; }), shape,
                      {"centroids", "4", "[2, 5]"}));
  EXPECT_TRUE(refused(with([&](RoutingOptions& o) { o.centroids = {some, {2, 2, 4}}; }), shape,
                      {"centroids", "[2, 2, 4]"}));
  EXPECT_TRUE(refused(with([&](RoutingOptions& o) { o.cluster_of = {result, {2, 4}}; }), shape,
                      {"cluster_of", "[2, 3]", "[2, 4]"}));
  RoutingOptions options;
  options.centroids = {some, {2, 4}};
  options.window_size = 2;
  EXPECT_TRUE(refused(try_routing_attention(qk, {some, {2, 4}}, to, options), shape,
                      {"qk", "value", "3", "2"}));
  EXPECT_TRUE(refused(try_routing_attention(qk, value, {result, {3, 3}}, options), shape,
                      {"result", "[3, 4]", "[3, 3]"}));
}

TEST(Routing, CatalogueEntry) {
  const Mechanism& entry = catalogue::routing;
  std::vector<double> numbers;
  for (const MechanismParameter& parameter : entry.parameters) numbers.push_back(parameter.value);
  for (const double window : {0.0, 3.0, 1000.0}) {
    numbers[1] = window;
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {1, 3, 8}) {
        const std::vector<float> x = Numbers(41).list(2 * n * d);
        std::vector<float> result(x.size(), not_a_number);
        ASSERT_TRUE(
            ok(try_run(entry, {x.data(), {2, n, d}}, numbers, {result.data(), {2, n, d}})));
        for (const float number : result) EXPECT_TRUE(std::isfinite(number));
        EXPECT_GE(entry.cost(n, d, numbers.data()).multiply_adds, 0);
      }
    }
  }
  // With the square root of n clusters of equal share: n^1.5.
  numbers[1] = 0;
  const auto cost = [&](Index n) { return entry.cost(n, 64, numbers.data()).multiply_adds; };
  EXPECT_NEAR(cost(65536) / cost(16384), 8, 1e-9);
}

// --- k-means -------------------------------------------------------------------------------------

struct Means {
  std::vector<float> centroids, clusters;
};

Means k_means_of(const std::vector<float>& x, Index width, Index clusters, Index iterations,
                 std::uint64_t seed) {
  const Index length = static_cast<Index>(x.size()) / width;
  Means means{std::vector<float>(static_cast<std::size_t>(clusters * width), not_a_number),
              std::vector<float>(static_cast<std::size_t>(length), not_a_number)};
  EXPECT_TRUE(ok(try_k_means({x.data(), {length, width}}, iterations, seed,
                             {means.centroids.data(), {clusters, width}},
                             {means.clusters.data(), {length}})));
  return means;
}

std::size_t nearest(const double* row, const std::vector<float>& centroids, Index width) {
  std::size_t best = 0;
  double largest = -HUGE_VAL;
  for (std::size_t c = 0; c * static_cast<std::size_t>(width) < centroids.size(); ++c) {
    const double similarity = product(row, centroids.data() + c * width, width);
    if (similarity > largest) {
      largest = similarity;
      best = c;
    }
  }
  return best;
}

// Each step from the one before it, by the definition.
TEST(KMeans, StepsAreThoseOfLloyd) {
  constexpr Index length = 300, width = 6, clusters = 7;
  const std::vector<float> x = Numbers(50).list(length * width, -2, 2);
  const std::vector<double> unit = unit_rows(x, width);
  Means means = k_means_of(x, width, clusters, 0, 9);
  double quality = -1;
  for (Index step = 0; step < 6; ++step) {
    std::vector<double> sums(clusters * width, 0.0);
    double similarity = 0;
    for (Index t = 0; t < length; ++t) {
      const std::size_t cluster = nearest(unit.data() + t * width, means.centroids, width);
      EXPECT_EQ(means.clusters[t], cluster) << step << " " << t;
      similarity +=
          product(unit.data() + t * width, means.centroids.data() + cluster * width, width);
      for (Index d = 0; d < width; ++d) sums[cluster * width + d] += unit[t * width + d];
    }
    EXPECT_GE(similarity, quality - 1e-4);  // never worse
    quality = similarity;
    const std::vector<double> want = unit_rows({sums.begin(), sums.end()}, width);
    means = k_means_of(x, width, clusters, step + 1, 9);
    EXPECT_TRUE(agree(means.centroids, want));
  }
}

TEST(KMeans, BeginsAtDifferentRowsDrawnBySeed) {
  const std::vector<float> x = Numbers(51).list(20 * 3);
  const std::vector<double> unit = unit_rows(x, 3);
  std::set<std::vector<float>> firsts;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const std::vector<float> centroids = k_means_of(x, 3, 20, 0, seed).centroids;
    EXPECT_TRUE(same_bits(centroids, k_means_of(x, 3, 20, 0, seed).centroids));
    // Twenty of twenty: every row once.
    std::vector<int> found(20, 0);
    for (Index c = 0; c < 20; ++c) {
      for (Index t = 0; t < 20; ++t) {
        bool same = true;
        for (Index d = 0; d < 3; ++d) {
          same &= std::fabs(centroids[c * 3 + d] - unit[t * 3 + d]) < 1e-6;
        }
        found[static_cast<std::size_t>(t)] += same ? 1 : 0;
      }
    }
    EXPECT_EQ(found, std::vector<int>(20, 1));
    firsts.insert({centroids.begin(), centroids.begin() + 3});
  }
  EXPECT_GE(firsts.size(), 2u);
}

TEST(KMeans, FindsClustersThatAreThere) {
  // Around three axes, of very different lengths.
  Numbers numbers(52);
  std::vector<float> x = numbers.list(90 * 3, -0.1f, 0.1f);
  for (Index t = 0; t < 90; ++t) {
    x[t * 3 + t % 3] += 1;
    const float length = numbers.uniform(0.01f, 100);
    for (Index d = 0; d < 3; ++d) x[t * 3 + d] *= length;
  }
  // A start with two rows of one axis may stay there; some seed does not.
  bool found = false;
  for (std::uint64_t seed = 0; seed < 8 && !found; ++seed) {
    const Means means = k_means_of(x, 3, 3, 10, seed);
    found = true;
    for (Index t = 3; t < 90; ++t) found &= means.clusters[t] == means.clusters[t - 3];
    found &= std::set<float>(means.clusters.begin(), means.clusters.end()).size() == 3;
    for (Index c = 0; c < 3; ++c) {
      double squares = 0;
      for (Index d = 0; d < 3; ++d) squares += std::pow(means.centroids[c * 3 + d], 2);
      EXPECT_NEAR(squares, 1, 1e-6);
    }
  }
  EXPECT_TRUE(found);
}

TEST(KMeans, MoreCentroidsThanRowsAndNoRows) {
  const std::vector<float> x = {3, 4, 0, -2};
  const Means means = k_means_of(x, 2, 5, 3, 1);
  for (const float number : means.centroids) EXPECT_TRUE(std::isfinite(number));
  EXPECT_NE(means.clusters[0], means.clusters[1]);
  // Centroids that came round again are equal to the first ones, which win.
  EXPECT_EQ(means.clusters[0] + means.clusters[1], 1);
  float centroids[4] = {7, 7, 7, 7}, some[1] = {};
  EXPECT_TRUE(ok(try_k_means({some, {0, 2}}, 3, 1, {centroids, {2, 2}}, {some, {0}})));
  for (const float number : centroids) EXPECT_EQ(number, 0);
}

TEST(KMeans, OppositeRowsLeaveTheCentroid) {
  const Means means = k_means_of({1, 0, -1, 0}, 2, 1, 4, 3);
  EXPECT_EQ(std::fabs(means.centroids[0]), 1);
}

TEST(KMeans, HeadsAndStrides) {
  const std::vector<float> x = Numbers(53).list(2 * 40 * 4);
  std::vector<float> first;
  for (const Layout layout : layouts) {
    const Placed rows({2, 40, 4}, x, layout);
    Placed centroids({2, 3, 4}, layout), clusters({2, 40}, layout);
    ASSERT_TRUE(ok(try_k_means(rows.view(), 5, 4, centroids.view(), clusters.view())));
    EXPECT_TRUE(centroids.gaps_untouched() && clusters.gaps_untouched());
    if (first.empty()) first = centroids.values();
    EXPECT_TRUE(same_bits(centroids.values(), first));
    for (Index t = 0; t < 80; ++t) {
      const std::vector<float> all = centroids.values();
      const std::vector<float> own(all.begin() + t / 40 * 12, all.begin() + (t / 40 + 1) * 12);
      const std::vector<double> unit = unit_rows({x.begin() + t * 4, x.begin() + t * 4 + 4}, 4);
      EXPECT_EQ(clusters.values()[static_cast<std::size_t>(t)], nearest(unit.data(), own, 4));
    }
  }
}

TEST(KMeans, RefusesWhatDoesNotFit) {
  const float some[24] = {};
  float result[12] = {};
  const ConstTensorView x(some, {6, 4});
  const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;
  EXPECT_TRUE(ok(try_k_means(x, 1, 0, {result, {3, 4}}, {})));
  EXPECT_TRUE(refused(try_k_means(x, -1, 0, {result, {3, 4}}, {}), argument, {"iterations", "-1"}));
  EXPECT_TRUE(refused(try_k_means(x, 1, 0, {result, {0, 4}}, {}), argument, {"clusters", "0"}));
  EXPECT_TRUE(refused(try_k_means(x, 1, 0, {result, {4, 3}}, {}), shape, {"centroids", "[4, 3]"}));
  EXPECT_TRUE(refused(try_k_means(x, 1, 0, {result, {1, 3, 4}}, {}), shape, {"[1, 3, 4]"}));
  EXPECT_TRUE(refused(try_k_means(x, 1, 0, {result, {3, 4}}, {result, {5}}), shape,
                      {"cluster_of", "[6]", "[5]"}));
  EXPECT_TRUE(refused(try_k_means({some, {4}}, 1, 0, {result, {3, 4}}, {}), shape, {"rank 1"}));
}

}  // namespace
}  // namespace qkv::test
