// Clustered attention against exact attention in double precision under the matrix of pairs that
// share a cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/catalogue.hpp"
#include "qkv/content.hpp"
#include "reference.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"
#include "support/sweep.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// A call and its clusters, [batch, heads, length].
struct Case {
  PlainCall call;
  std::vector<float> query_clusters, key_clusters;
  bool causal = false;
};

Case random_case(Index batch, Index heads, Index kv_heads, Index queries, Index keys,
                 Index clusters, bool causal, std::uint64_t seed) {
  Case c;
  c.call = sized(queries, keys, 8, 5);
  c.call.batch = batch;
  c.call.heads = heads;
  c.call.kv_heads = kv_heads;
  fill(c.call, seed);
  Numbers numbers(seed + 1);
  // Numbers of one, two and three bytes, so that the order is made of several digits.
  const Index step = clusters > 3 ? 70001 / clusters : 1;
  for (Index n = 0; n < batch * heads * queries; ++n) {
    c.query_clusters.push_back(static_cast<float>(numbers.below(clusters) * step));
  }
  for (Index n = 0; n < batch * heads * keys; ++n) {
    c.key_clusters.push_back(static_cast<float>(numbers.below(clusters) * step));
  }
  c.causal = causal;
  return c;
}

std::vector<double> want(const Case& c) {
  PlainCall call = c.call;
  for (Index n = 0; n < call.batch * call.heads; ++n) {
    for (Index i = 0; i < call.queries; ++i) {
      for (Index j = 0; j < call.keys; ++j) {
        const float query = c.query_clusters[static_cast<std::size_t>(n * call.queries + i)];
        const float key = c.key_clusters[static_cast<std::size_t>(n * call.keys + j)];
        call.allowed.push_back(query == key && (!c.causal || j <= i) ? 1 : 0);
      }
    }
  }
  return reference(call).output;
}

std::vector<float> clustered(const Case& c, Layout in = Layout::row_major,
                             Layout out = Layout::row_major) {
  const PlainCall& call = c.call;
  const Placed query({call.batch, call.heads, call.queries, call.width}, call.query, in);
  const Placed key({call.batch, call.kv_heads, call.keys, call.width}, call.key, in);
  const Placed value({call.batch, call.kv_heads, call.keys, call.value_width}, call.value, in);
  const Placed queries({call.batch, call.heads, call.queries}, c.query_clusters, in);
  const Placed keys({call.batch, call.heads, call.keys}, c.key_clusters, in);
  Placed result({call.batch, call.heads, call.queries, call.value_width}, out, 9);
  ClusteredOptions options;
  options.query_clusters = queries.view();
  options.key_clusters = keys.view();
  options.causal = c.causal;
  EXPECT_TRUE(ok(try_clustered_attention(query.view(), key.view(), value.view(), result.view(),
                                         options)));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

TEST(Clustered, SeesTheKeysOfItsCluster) {
  std::uint64_t seed = 1;
  for (const Index queries : {1, 7, 64, 130}) {
    for (const Index keys : {1, 5, 63, 65, 200}) {
      for (const Index clusters : {1, 3, 20, 500}) {
        for (const bool causal : {false, true}) {
          const Case c = random_case(1, 2, 1, queries, keys, clusters, causal, ++seed);
          ASSERT_TRUE(agree(clustered(c), want(c)))
              << queries << " " << keys << " " << clusters << " " << causal;
        }
      }
    }
  }
}

TEST(Clustered, EveryBackendHeadsAndStrides) {
  const KeepBackend keep;
  const Case c = random_case(2, 4, 2, 90, 70, 4, true, 5);
  const std::vector<double> truth = want(c);
  for (const std::string_view name : backends()) {
    ASSERT_TRUE(ok(try_set_backend(name)));
    for (const Layout in : layouts) {
      for (const Layout out : layouts) ASSERT_TRUE(agree(clustered(c, in, out), truth)) << name;
    }
  }
}

// Neighbours in the order share a tile of the kernel, which may not be a cluster.
TEST(Clustered, SortedClustersAreBlocks) {
  Case c = random_case(1, 1, 1, 256, 256, 1, false, 6);
  for (std::size_t i = 0; i < 256; ++i) {
    c.query_clusters[i] = c.key_clusters[i] = static_cast<float>(i / 40);
  }
  PlainCall blocks = c.call;
  blocks.mask = mask::block_local(40);
  EXPECT_TRUE(agree(clustered(c), attend(blocks).output));
}

TEST(Clustered, OneClusterIsExactAttention) {
  for (const bool causal : {false, true}) {
    const Case c = random_case(1, 2, 2, 130, 130, 1, causal, 7);
    PlainCall exact = c.call;
    if (causal) exact.mask = mask::causal();
    EXPECT_TRUE(agree(clustered(c), attend(exact).output));
  }
}

TEST(Clustered, OnlyEqualityOfClustersMatters) {
  Case c = random_case(1, 1, 1, 100, 100, 3, false, 8);
  const std::vector<float> before = clustered(c);
  for (auto* clusters : {&c.query_clusters, &c.key_clusters}) {
    for (float& cluster : *clusters) {
      cluster = cluster == 0 ? 16777215.0f : cluster == 1 ? 0.0f : 300.0f;
    }
  }
  EXPECT_TRUE(agree(clustered(c), before));
}

TEST(Clustered, WeightsSumToOneOrThereAreNone) {
  Case c = random_case(1, 1, 1, 50, 20, 30, false, 9);
  std::fill(c.call.value.begin(), c.call.value.end(), 1.0f);
  const std::vector<float> got = clustered(c);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto& keys = c.key_clusters;
    const bool alone = std::find(keys.begin(), keys.end(), c.query_clusters[i]) == keys.end();
    EXPECT_NEAR(got[i * 5], alone ? 0 : 1, 1e-6) << i;
  }
}

TEST(Clustered, NanStaysInItsCluster) {
  Case c = random_case(1, 1, 1, 130, 130, 4, false, 10);
  c.query_clusters = c.key_clusters;
  const std::vector<float> before = clustered(c);
  c.call.key[3] = nan;         // of key 0
  c.call.value[7 * 5] = nan;   // of key 7
  const std::vector<float> after = clustered(c);
  for (std::size_t i = 0; i < 130; ++i) {
    const float cluster = c.query_clusters[i];
    if (cluster == c.key_clusters[0] || cluster == c.key_clusters[7]) {
      EXPECT_TRUE(std::isnan(after[i * 5])) << i;
    } else {
      EXPECT_EQ(after[i * 5], before[i * 5]) << i;
    }
  }
}

TEST(Clustered, LaterTokensChangeNothing) {
  Case c = random_case(1, 1, 1, 130, 130, 3, true, 11);
  c.query_clusters = c.key_clusters;
  const std::vector<float> before = clustered(c);
  for (std::size_t n = 100 * 8; n < c.call.key.size(); ++n) c.call.key[n] = nan;
  for (std::size_t n = 100 * 5; n < c.call.value.size(); ++n) c.call.value[n] = nan;
  const std::vector<float> after = clustered(c);
  EXPECT_TRUE(same_bits({before.begin(), before.begin() + 500},
                        {after.begin(), after.begin() + 500}));
}

TEST(Clustered, ClustersOfAllHeadsAndRankTwo) {
  const float x[] = {1, 0, 0, 1, 2, 2}, value[] = {1, 10, 100}, clusters[] = {5, 3, 5};
  float result[3] = {};
  ClusteredOptions options;
  options.query_clusters = options.key_clusters = {clusters, {3}};
  ASSERT_TRUE(ok(try_clustered_attention({x, {1, 3, 2}}, {x, {3, 2}}, {value, {3, 1}},
                                         {result, {1, 3, 1}}, options)));
  EXPECT_EQ(result[1], 10);  // alone
  // Scores of token 0 with itself and token 2: 1 / sqrt(2) and 2 / sqrt(2).
  EXPECT_NEAR(result[0], 1 + 99 / (1 + std::exp(-std::sqrt(0.5))), 1e-5);
}

// So many that they are not done at once.
TEST(Clustered, ManyHeadsAreEachTheSameAlone) {
  const Case all = random_case(1, 150, 150, 300, 300, 20, true, 13);
  const std::vector<float> together = clustered(all);
  for (const Index head : {0, 133, 134, 149}) {
    Case one = all;
    one.call.heads = one.call.kv_heads = 1;
    const auto own = [&](const std::vector<float>& rows, Index width) {
      return std::vector<float>(rows.begin() + head * 300 * width,
                                rows.begin() + (head + 1) * 300 * width);
    };
    one.call.query = own(all.call.query, 8);
    one.call.key = own(all.call.key, 8);
    one.call.value = own(all.call.value, 5);
    one.query_clusters = own(all.query_clusters, 1);
    one.key_clusters = own(all.key_clusters, 1);
    EXPECT_TRUE(same_bits(clustered(one), own(together, 5))) << head;
  }
}

TEST(Clustered, SameBitsOnAnyThreads) {
  const Case c = random_case(2, 4, 4, 300, 300, 6, false, 12);
  expect_same_on_any_threads([&] { return clustered(c); });
}

TEST(Clustered, NothingToDo) {
  EXPECT_EQ(clustered(random_case(1, 1, 1, 0, 5, 2, false, 1)), std::vector<float>());
  EXPECT_EQ(clustered(random_case(1, 0, 0, 5, 5, 2, false, 1)), std::vector<float>());
  EXPECT_EQ(clustered(random_case(1, 1, 1, 4, 0, 2, true, 1)), std::vector<float>(20, 0.0f));
}

TEST(Clustered, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  const float half[] = {0, 0.5f, 1}, negative[] = {0, -2, 1}, large[] = {0, 16777216, 1};
  const float unknown[] = {0, nan, 1};
  Placed result({3, 4}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {3, 4});
  const auto call = [&](const ConstTensorView& query_clusters, const ConstTensorView& key_clusters) {
    ClusteredOptions options;
    options.query_clusters = query_clusters;
    options.key_clusters = key_clusters;
    return try_clustered_attention(x, x, x, result.view(), options);
  };
  const ConstTensorView good(numbers, {3});
  const ErrorCode argument = ErrorCode::argument, shape = ErrorCode::shape;
  EXPECT_TRUE(refused(call({half, {3}}, good), argument, {"queryClusters", "whole", "0.5"}));
  EXPECT_TRUE(refused(call(good, {negative, {3}}), argument, {"keyClusters", "-2"}));
  EXPECT_TRUE(refused(call(good, {large, {3}}), argument, {"keyClusters", "16777215"}));
  EXPECT_TRUE(refused(call(good, {unknown, {3}}), argument, {"keyClusters", "NaN"}));
  EXPECT_TRUE(refused(call({}, good), argument, {"queryClusters", "none"}));
  EXPECT_TRUE(refused(call({numbers, {4}}, good), shape, {"queryClusters", "3", "[4]"}));
  EXPECT_TRUE(refused(call(good, {numbers, {2, 3}}), shape, {"keyClusters", "[2, 3]"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(call(good, good)));
}

TEST(Clustered, ItsEntryRuns) {
  for (const Index n : {0, 1, 5, 64, 100}) {
    for (const Index d : {3, 8}) {
      const std::vector<float> x = Numbers(static_cast<std::uint64_t>(n + d)).list(2 * n * d);
      std::vector<float> result(x.size(), 9), exact(x.size(), 9);
      const ConstTensorView view(x.data(), {2, n, d});
      ASSERT_TRUE(ok(try_run(catalogue::clustered, view, {}, {result.data(), view.shape})));
      for (const float y : result) ASSERT_TRUE(std::isfinite(y) && std::fabs(y) <= 1.001f);
      const double one[] = {1, 0};
      ASSERT_TRUE(ok(try_run(catalogue::clustered, view, one, {result.data(), view.shape})));
      ASSERT_TRUE(ok(try_attention(view, view, view, {exact.data(), view.shape})));
      EXPECT_TRUE(agree(result, exact));
    }
  }
}

}  // namespace
}  // namespace qkv::test
