// Top-k attention against its definition: scores in double precision, sorted, the first k kept, and
// exact attention over those. Numbers are multiples of 1/8 and the scale a power of two where ties
// matter, so that scores are exact and many of them equal.
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

// Numbers whose scores are exact: width 4 or 16.
PlainCall exact_call(Index batch, Index heads, Index kv_heads, Index queries, Index keys,
                     Index width, std::uint64_t seed) {
  PlainCall call = sized(queries, keys, width, 3);
  call.batch = batch;
  call.heads = heads;
  call.kv_heads = kv_heads;
  Numbers numbers(seed);
  call.query = numbers.grid(batch * heads * queries * width);
  call.key = numbers.grid(batch * kv_heads * keys * width);
  call.value = numbers.list(batch * kv_heads * keys * 3);
  return call;
}

// The definition: narrows `allowed` to what is kept.
PlainCall narrowed(PlainCall call, std::optional<Index> k, std::optional<float> threshold) {
  const Results<double> all = reference(call);
  call.allowed.assign(static_cast<std::size_t>(call.pairs()), 0);
  for (Index row = 0; row < call.batch * call.heads * call.queries; ++row) {
    const double* scores = all.scores.data() + row * call.keys;
    const double* weights = all.weights.data() + row * call.keys;
    std::vector<Index> order;
    for (Index j = 0; j < call.keys; ++j) {
      if (scores[j] == -std::numeric_limits<double>::infinity()) continue;
      if (!threshold || weights[j] >= *threshold) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return scores[a] > scores[b]; });
    if (k && *k < static_cast<Index>(order.size())) order.resize(static_cast<std::size_t>(*k));
    for (const Index j : order) call.allowed[static_cast<std::size_t>(row * call.keys + j)] = 1;
  }
  return call;
}

std::vector<float> top_k(const PlainCall& call, const TopKOptions& options,
                         Layout in = Layout::row_major, Layout out = Layout::row_major) {
  const Placed query({call.batch, call.heads, call.queries, call.width}, call.query, in);
  const Placed key({call.batch, call.kv_heads, call.keys, call.width}, call.key, in);
  const Placed value({call.batch, call.kv_heads, call.keys, call.value_width}, call.value, in);
  Placed result({call.batch, call.heads, call.queries, call.value_width}, out, 9);
  TopKOptions with_mask = options;
  with_mask.mask = call.mask;
  EXPECT_TRUE(ok(try_top_k_attention(query.view(), key.view(), value.view(), result.view(),
                                     with_mask)));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

TopKOptions keep(Index k) {
  TopKOptions options;
  options.k = k;
  return options;
}

testing::AssertionResult follows(const PlainCall& call, const TopKOptions& options,
                                 Layout in = Layout::row_major, Layout out = Layout::row_major) {
  const auto want = reference(narrowed(call, options.k, options.threshold)).output;
  return agree(top_k(call, options, in, out), want) << " " << describe(call);
}

TEST(TopK, KeepsTheLargestAndOfEqualOnesTheEarlier) {
  const KeepBackend keep_backend;
  std::uint64_t seed = 1;
  for (const std::string_view name : backends()) {
    ASSERT_TRUE(ok(try_set_backend(name)));
    for (const Index queries : {1, 3, 7, 65}) {
      for (const Index keys : {1, 7, 17, 64, 65, 130}) {
        for (const Index k : {1, 2, 5, 64, 1000}) {
          const Index width = ++seed % 2 == 0 ? 4 : 16;
          const PlainCall call = exact_call(1, 1, 1, queries, keys, width, seed);
          ASSERT_TRUE(follows(call, keep(k))) << name << " k " << k;
        }
      }
    }
  }
}

// So many keys that candidates are cut several times; numbers without ties.
TEST(TopK, FindsFewAmongMany) {
  for (const Index k : {1, 3, 30}) {
    PlainCall call = random_call(5, 1500, 8, 3, static_cast<std::uint64_t>(k));
    ASSERT_TRUE(follows(call, keep(k))) << k;
    // Rising scores: every key is a candidate when it comes.
    for (Index j = 0; j < call.keys; ++j) {
      for (Index d = 0; d < 8; ++d) {
        call.key[static_cast<std::size_t>(j * 8 + d)] = call.query[static_cast<std::size_t>(d)] *
                                                        static_cast<float>(j) / 512;
      }
    }
    call.queries = 1;
    call.query.resize(8);
    ASSERT_TRUE(follows(call, keep(k))) << k;
  }
}

TEST(TopK, ChoosesAmongTheKeysThatTheMaskAllows) {
  for (const SweepMask mask : {SweepMask::causal, SweepMask::causal_end, SweepMask::window,
                               SweepMask::sparse, SweepMask::holes}) {
    for (const Index queries : {1, 6, 130}) {
      for (const Index keys : {9, 200}) {
        PlainCall call = exact_call(2, 2, 1, queries, keys, 4, static_cast<std::uint64_t>(keys));
        set_mask(call, mask);
        for (const Index k : {1, 4}) ASSERT_TRUE(follows(call, keep(k))) << k;
      }
    }
  }
}

// A single query whose heads share their keys, and have a mask each.
TEST(TopK, HeadsOfOneQueryHaveMasksOfTheirOwn) {
  for (const Index heads : {4, 12}) {
    PlainCall call = exact_call(2, heads, 2, 1, 150, 16, 5);
    Numbers numbers(6);
    const MaskCase chosen = matrix_case({2, heads, 1, 150}, true, 0.5, numbers);
    call.mask = chosen.mask;
    call.allowed = dense(chosen.allowed, {1, 150, heads, 2});
    ASSERT_TRUE(follows(call, keep(7))) << heads;
  }
}

TEST(TopK, DropsWeightsBelowTheThreshold) {
  for (const Index keys : {1, 5, 40, 140}) {
    PlainCall call = random_call(9, keys, 8, 3, 11);
    for (const auto mask : {SweepMask::none, SweepMask::causal_end}) {
      set_mask(call, mask);
      for (const float threshold : {0.0f, 0.0071f, 0.031f, 0.3f, 1.0f}) {
        TopKOptions options;
        options.threshold = threshold;
        ASSERT_TRUE(follows(call, options)) << threshold;
        options.k = 3;
        ASSERT_TRUE(follows(call, options)) << threshold;
      }
    }
  }
}

TEST(TopK, ThresholdsByHand) {
  // Two equal keys have weights of exactly one half; a third is 8 below them.
  const float query[] = {1}, key[] = {8, 8, 0}, value[] = {1, 3, 100};
  float result = 9;
  TopKOptions options;
  options.threshold = 0.4f;
  ASSERT_TRUE(ok(try_top_k_attention({query, {1, 1}}, {key, {3, 1}}, {value, {3, 1}},
                                     {&result, {1, 1}}, options)));
  EXPECT_EQ(result, 2);
  options.threshold = 0.6f;  // nobody reaches it
  ASSERT_TRUE(ok(try_top_k_attention({query, {1, 1}}, {key, {3, 1}}, {value, {3, 1}},
                                     {&result, {1, 1}}, options)));
  EXPECT_EQ(result, 0);
  options = keep(1);
  options.scale = -1;
  ASSERT_TRUE(ok(try_top_k_attention({query, {1, 1}}, {key, {3, 1}}, {value, {3, 1}},
                                     {&result, {1, 1}}, options)));
  EXPECT_EQ(result, 100);
}

TEST(TopK, AllKeysAreExactAttention) {
  for (const Index keys : {3, 65, 300}) {
    const PlainCall call = random_call(70, keys, 32, 5, 3);
    const std::vector<float> exact = attend(call).output;
    EXPECT_TRUE(agree(top_k(call, keep(keys)), exact));
    TopKOptions options;
    options.threshold = 0.0f;
    EXPECT_TRUE(agree(top_k(call, options), exact));
  }
}

TEST(TopK, WeightsSumToOne) {
  PlainCall call = random_call(10, 90, 8, 2, 4);
  std::fill(call.value.begin(), call.value.end(), 1.0f);
  for (const float x : top_k(call, keep(6))) EXPECT_NEAR(x, 1, 1e-6);
}

TEST(TopK, AnyStrides) {
  PlainCall call = exact_call(2, 2, 1, 70, 80, 4, 8);
  set_mask(call, SweepMask::causal);
  PlainCall few = exact_call(2, 2, 1, 2, 80, 4, 8);
  for (const Layout in : layouts) {
    for (const Layout out : layouts) {
      ASSERT_TRUE(follows(call, keep(5), in, out));
      ASSERT_TRUE(follows(few, keep(5), in, out));
    }
  }
}

TEST(TopK, LaterTokensChangeNothing) {
  PlainCall call = random_call(130, 130, 8, 3, 9);
  set_mask(call, SweepMask::causal);
  const std::vector<float> before = top_k(call, keep(4));
  for (std::size_t n = 100 * 8; n < call.key.size(); ++n) call.key[n] = nan;
  for (std::size_t n = 100 * 3; n < call.value.size(); ++n) call.value[n] = nan;
  const std::vector<float> after = top_k(call, keep(4));
  EXPECT_TRUE(same_bits({before.begin(), before.begin() + 300},
                        {after.begin(), after.begin() + 300}));
  for (std::size_t n = 300; n < after.size(); ++n) EXPECT_TRUE(std::isnan(after[n])) << n;
}

TEST(TopK, AValueThatIsNotKeptIsNotRead) {
  PlainCall call = exact_call(1, 1, 1, 70, 90, 16, 12);
  const PlainCall kept = narrowed(call, Index{3}, std::nullopt);
  const std::vector<double> want = reference(kept).output;
  call.value[0] = nan;  // of key 0
  const std::vector<float> got = top_k(call, keep(3));
  for (Index i = 0; i < 70; ++i) {
    const bool sees = kept.allowed[static_cast<std::size_t>(i * 90)] != 0;
    EXPECT_EQ(std::isnan(got[static_cast<std::size_t>(i * 3)]), sees) << i;
    EXPECT_NEAR(got[static_cast<std::size_t>(i * 3 + 1)], want[static_cast<std::size_t>(i * 3 + 1)],
                1e-5);
  }
}

TEST(TopK, SameBitsOnAnyThreads) {
  PlainCall call = exact_call(2, 2, 2, 300, 310, 16, 13);
  expect_same_on_any_threads([&] { return top_k(call, keep(9)); });
}

TEST(TopK, NothingToDo) {
  EXPECT_EQ(top_k(exact_call(1, 1, 1, 0, 5, 4, 1), keep(2)), std::vector<float>());
  EXPECT_EQ(top_k(exact_call(1, 0, 0, 5, 5, 4, 1), keep(2)), std::vector<float>());
  EXPECT_EQ(top_k(exact_call(1, 1, 1, 3, 0, 4, 1), keep(2)), std::vector<float>(9, 0.0f));
  EXPECT_EQ(top_k(exact_call(1, 1, 1, 70, 0, 4, 1), keep(2)), std::vector<float>(210, 0.0f));
}

TEST(TopK, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Placed result({3, 2}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {3, 4}), value(numbers, {3, 2});
  const auto call = [&](const TopKOptions& options) {
    return try_top_k_attention(x, x, value, result.view(), options);
  };
  EXPECT_TRUE(refused(call({}), ErrorCode::argument, {"k", "threshold", "neither"}));
  EXPECT_TRUE(refused(call(keep(0)), ErrorCode::argument, {"k", "1 or more", "0"}));
  TopKOptions options;
  options.threshold = 1.5f;
  EXPECT_TRUE(refused(call(options), ErrorCode::argument, {"threshold", "1.5"}));
  options.threshold = nan;
  EXPECT_TRUE(refused(call(options), ErrorCode::argument, {"threshold", "NaN"}));
  EXPECT_TRUE(refused(try_top_k_attention(x, {numbers, {3, 5}}, value, result.view(), keep(1)),
                      ErrorCode::shape, {"4", "5"}));
  EXPECT_TRUE(refused(try_top_k_attention(x, x, value, {result.view().data, {2, 3}}, keep(1)),
                      ErrorCode::shape, {"result", "[3, 2]", "[2, 3]"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(call(keep(1))));
}

TEST(TopK, ItsEntryRuns) {
  for (const Index n : {0, 1, 5, 64, 100}) {
    for (const Index d : {3, 8}) {
      const std::vector<float> x = Numbers(static_cast<std::uint64_t>(n + d)).list(2 * n * d);
      std::vector<float> result(x.size(), 9), want(x.size(), 9);
      const ConstTensorView view(x.data(), {2, n, d});
      ASSERT_TRUE(ok(try_run(catalogue::top_k, view, {}, {result.data(), view.shape})));
      ASSERT_TRUE(ok(try_top_k_attention(view, view, view, {want.data(), view.shape}, keep(32))));
      EXPECT_TRUE(same_bits(result, want));
      for (const float y : result) ASSERT_TRUE(std::isfinite(y));
    }
  }
}

}  // namespace
}  // namespace qkv::test
