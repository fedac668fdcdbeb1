// Sinkhorn attention against its definition in double precision: the sort in logarithms, then a
// softmax over the keys of two blocks, one query after the other.
#include "mechanisms/sinkhorn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/catalogue.hpp"
#include "qkv/content.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using Matrix = std::vector<std::vector<double>>;

struct Case {
  Index heads = 1, kv_heads = 1, n = 0, d = 8, dv = 5;
  std::vector<float> query, key, value;  // [heads or kv_heads, n, width]
  std::vector<float> weights;            // [heads or 1, 2d, blocks]
  bool weights_of_heads = false;
  Index block = 1, iterations = 5;
  float temperature = 0.75f;
  bool causal = false;

  Index blocks() const { return (n + block - 1) / block; }
};

// Sums and products are above 0 for the most part, so that few entries of the sort are least ones.
Case random_case(Index n, Index block, bool causal, std::uint64_t seed, Index heads = 1,
                 Index kv_heads = 1, bool weights_of_heads = false, Index d = 8) {
  Numbers numbers(seed);
  Case c;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.n = n;
  c.d = d;
  c.block = block;
  c.causal = causal;
  c.weights_of_heads = weights_of_heads;
  c.query = numbers.list(heads * n * c.d, 0.25f, 1);
  c.key = numbers.list(kv_heads * n * c.d, 0.25f, 1);
  c.value = numbers.list(kv_heads * n * c.dv);
  c.weights = numbers.list((weights_of_heads ? heads : 1) * 2 * c.d * c.blocks(), -0.3f, 1);
  return c;
}

double log_of_sum(const std::vector<double>& x) {
  double sum = 0;
  const double largest = *std::max_element(x.begin(), x.end());
  for (const double each : x) sum += std::exp(each - largest);
  return largest + std::log(sum);
}

// The sort of one head.
Matrix sort_of(const Case& c, Index head) {
  const Index blocks = c.blocks(), kv = head / (c.heads / c.kv_heads);
  const float* weights = c.weights.data() + (c.weights_of_heads ? head * 2 * c.d * blocks : 0);
  const auto size = static_cast<std::size_t>(blocks);
  Matrix logits(size, std::vector<double>(size));
  for (Index i = 0; i < blocks; ++i) {
    std::vector<double> sums(static_cast<std::size_t>(2 * c.d));
    for (Index t = 0; t < c.n; ++t) {
      if (c.causal ? t > i * c.block : t / c.block != i) continue;
      for (Index f = 0; f < c.d; ++f) {
        sums[f] += c.query[(head * c.n + t) * c.d + f];
        sums[c.d + f] += c.key[(kv * c.n + t) * c.d + f];
      }
    }
    for (Index j = 0; j < blocks; ++j) {
      double r = 0;
      for (Index f = 0; f < 2 * c.d; ++f) r += sums[f] * weights[f * blocks + j];
      logits[i][j] = std::log(std::max(r, 0.0) + 1e-6) / static_cast<double>(c.temperature);
    }
  }
  if (c.causal) {
    for (Index i = 0; i < blocks; ++i) {
      std::vector<double> before(logits[i].begin(), logits[i].begin() + i);
      const double sum = before.empty() ? 0 : log_of_sum(before);
      for (Index j = 0; j < blocks; ++j) logits[i][j] = j < i ? std::exp(logits[i][j] - sum) : 0;
    }
    return logits;
  }
  for (Index round = 0; round < c.iterations; ++round) {
    for (auto& row : logits) {
      const double sum = log_of_sum(row);
      for (double& x : row) x -= sum;
    }
    for (Index j = 0; j < blocks; ++j) {
      std::vector<double> column;
      for (const auto& row : logits) column.push_back(row[j]);
      const double sum = log_of_sum(column);
      for (auto& row : logits) row[j] -= sum;
    }
  }
  for (auto& row : logits) {
    for (double& x : row) x = std::exp(x);
  }
  return logits;
}

std::vector<double> want(const Case& c) {
  std::vector<double> output;
  for (Index head = 0; head < c.heads; ++head) {
    const Index kv = head / (c.heads / c.kv_heads);
    const Matrix sort = sort_of(c, head);
    for (Index i = 0; i < c.n; ++i) {
      const auto& row = sort[i / c.block];
      const Index other = std::max_element(row.begin(), row.end()) - row.begin();
      std::vector<std::pair<Index, double>> keys;  // and what they are multiplied by
      for (Index j = 0; j < c.n; ++j) {
        const bool first = c.causal && i < c.block;
        if (j / c.block == other && !first) keys.emplace_back(j, row[other]);
        if (j / c.block == i / c.block && (!c.causal || j <= i)) keys.emplace_back(j, 1);
      }
      std::vector<double> scores;
      for (const auto& [j, factor] : keys) {
        double dot = 0;
        for (Index f = 0; f < c.d; ++f) {
          dot += factor * c.query[(head * c.n + i) * c.d + f] * c.key[(kv * c.n + j) * c.d + f];
        }
        scores.push_back(dot / std::sqrt(static_cast<double>(c.d)));
      }
      const double sum = log_of_sum(scores);
      for (Index f = 0; f < c.dv; ++f) {
        double mixed = 0;
        for (std::size_t k = 0; k < keys.size(); ++k) {
          mixed += std::exp(scores[k] - sum) * keys[k].second *
                   c.value[(kv * c.n + keys[k].first) * c.dv + f];
        }
        output.push_back(mixed);
      }
    }
  }
  return output;
}

std::vector<float> sinkhorn(const Case& c, std::vector<float>* sorting = nullptr,
                            Layout in = Layout::row_major, Layout out = Layout::row_major) {
  const Placed query({c.heads, c.n, c.d}, c.query, in), key({c.kv_heads, c.n, c.d}, c.key, in);
  const Placed value({c.kv_heads, c.n, c.dv}, c.value, in);
  const Index blocks = c.blocks();
  const Shape own{2 * c.d, blocks}, of_heads{c.heads, 2 * c.d, blocks};
  const Placed weights(c.weights_of_heads ? of_heads : own, c.weights, in);
  Placed result({c.heads, c.n, c.dv}, out, 9), sort({c.heads, blocks, blocks}, out, 9);
  SinkhornOptions options;
  options.block_size = c.block;
  options.sort_weights = weights.view();
  options.iterations = c.iterations;
  options.temperature = c.temperature;
  options.causal = c.causal;
  if (sorting != nullptr) options.sorting = sort.view();
  EXPECT_TRUE(ok(try_sinkhorn_attention(query.view(), key.view(), value.view(), result.view(),
                                        options)));
  EXPECT_TRUE(result.gaps_untouched() && sort.gaps_untouched());
  if (sorting != nullptr) *sorting = sort.values();
  return result.values();
}

std::vector<double> flat(const Case& c) {
  std::vector<double> all;
  for (Index head = 0; head < c.heads; ++head) {
    for (const auto& row : sort_of(c, head)) all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

TEST(Sinkhorn, NormalisesRowsThenColumns) {
  double matrix[] = {1, 2, 1, 1}, sums[2];
  sinkhorn_normalize(matrix, 2, 1, sums);
  EXPECT_NEAR(matrix[0], 0.4, 1e-15);
  EXPECT_NEAR(matrix[1], 4.0 / 7, 1e-15);
  EXPECT_NEAR(matrix[2], 0.6, 1e-15);
  EXPECT_NEAR(matrix[3], 3.0 / 7, 1e-15);
  sinkhorn_normalize(matrix, 2, 100, sums);
  const double root = std::sqrt(2.0);
  EXPECT_NEAR(matrix[0], root - 1, 1e-14);
  EXPECT_NEAR(matrix[1], 2 - root, 1e-14);
  EXPECT_NEAR(matrix[2], 2 - root, 1e-14);
  EXPECT_NEAR(matrix[3], root - 1, 1e-14);
}

TEST(Sinkhorn, NothingIsDividedByZero) {
  double matrix[] = {0, 0, 0, 5}, sums[2];
  sinkhorn_normalize(matrix, 2, 3, sums);
  EXPECT_EQ(matrix[0] + matrix[1] + matrix[2], 0);
  EXPECT_EQ(matrix[3], 1);
}

TEST(Sinkhorn, FollowsItsDefinition) {
  std::uint64_t seed = 1;
  for (const Index n : {1, 7, 10, 63, 64, 65, 130}) {
    for (const Index block : {1, 3, 16, 64, 200}) {
      for (const bool causal : {false, true}) {
        const Case c = random_case(n, block, causal, ++seed);
        std::vector<float> sorting;
        ASSERT_TRUE(agree(sinkhorn(c, &sorting), want(c))) << n << " " << block << " " << causal;
        ASSERT_TRUE(agree(sorting, flat(c))) << n << " " << block << " " << causal;
      }
    }
  }
}

TEST(Sinkhorn, EveryBackendHeadsAndStrides) {
  const KeepBackend keep;
  for (const bool of_heads : {false, true}) {
    const Case c = random_case(50, 8, of_heads, 3, 4, 2, of_heads);
    const std::vector<double> truth = want(c), sort = flat(c);
    for (const std::string_view name : backends()) {
      ASSERT_TRUE(ok(try_set_backend(name)));
      for (const Layout in : layouts) {
        for (const Layout out : {Layout::row_major, Layout::transposed, Layout::reversed}) {
          std::vector<float> sorting;
          ASSERT_TRUE(agree(sinkhorn(c, &sorting, in, out), truth)) << name;
          ASSERT_TRUE(agree(sorting, sort)) << name;
        }
      }
    }
  }
}

TEST(Sinkhorn, OneBlockIsExactAttention) {
  for (const bool causal : {false, true}) {
    for (const Index block : {70, 71, 1000000000}) {
      const Case c = random_case(70, block, causal, 4);
      AttentionOptions options;
      if (causal) options.mask = mask::causal();
      std::vector<float> exact(c.value.size());
      ASSERT_TRUE(ok(try_attention({c.query.data(), {70, 8}}, {c.key.data(), {70, 8}},
                                   {c.value.data(), {70, 5}}, {exact.data(), {70, 5}}, options)));
      EXPECT_TRUE(agree(sinkhorn(c), exact));
    }
  }
}

// All entries of the sort are equal: the first block is named, with the factor 1/2.
TEST(Sinkhorn, OfEqualBlocksTheFirst) {
  const float x[] = {3, 5}, value[] = {10, 100}, weights[4] = {};
  float result[2], sorting[4];
  SinkhornOptions options;
  options.block_size = 1;
  options.sort_weights = {weights, {2, 2}};
  options.sorting = {sorting, {2, 2}};
  ASSERT_TRUE(ok(try_sinkhorn_attention({x, {2, 1}}, {x, {2, 1}}, {value, {2, 1}}, {result, {2, 1}},
                                        options)));
  for (const float each : sorting) EXPECT_EQ(each, 0.5f);
  const auto mixed = [](double own, double own_value, double sorted) {
    const double weight = std::exp(sorted), total = weight + std::exp(own);
    return (weight * 5 + std::exp(own) * own_value) / total;
  };
  EXPECT_NEAR(result[0], mixed(9, 10, 4.5), 1e-5);
  EXPECT_NEAR(result[1], mixed(25, 100, 7.5), 1e-4);
}

TEST(Sinkhorn, ManyIterationsAreDoublyStochastic) {
  Case c = random_case(60, 6, false, 6);
  c.iterations = 300;
  for (const float temperature : {0.75f, 5.0f}) {
    c.temperature = temperature;
    std::vector<float> sorting;
    sinkhorn(c, &sorting);
    for (std::size_t i = 0; i < 10; ++i) {
      double row = 0, column = 0;
      for (std::size_t j = 0; j < 10; ++j) {
        row += sorting[i * 10 + j];
        column += sorting[j * 10 + i];
      }
      EXPECT_NEAR(row, 1, 1e-5);
      EXPECT_NEAR(column, 1, 1e-5);
    }
  }
}

TEST(Sinkhorn, SmallTemperaturesStayFinite) {
  for (const float temperature : {0.05f, 1e-3f, 1e-30f}) {
    Case c = random_case(60, 6, false, 7);
    for (std::size_t n = 0; n < c.weights.size(); n += 3) c.weights[n] = -4;  // many are cut off
    c.temperature = temperature;
    for (const float x : sinkhorn(c)) ASSERT_TRUE(std::isfinite(x)) << temperature;
  }
}

// A column that is far below the other in every row is made as large as it.
TEST(Sinkhorn, SmallTemperaturesStillFillEveryColumn) {
  const float x[] = {1, 1}, weights[] = {0.5f, 0, 0.5f, 0};
  float result[2], sorting[4];
  SinkhornOptions options;
  options.block_size = 1;
  options.temperature = 0.01f;
  options.sort_weights = {weights, {2, 2}};
  options.sorting = {sorting, {2, 2}};
  ASSERT_TRUE(ok(try_sinkhorn_attention({x, {2, 1}}, {x, {2, 1}}, {x, {2, 1}}, {result, {2, 1}},
                                        options)));
  for (const float each : sorting) EXPECT_EQ(each, 0.5f);
}

// Tokens of a block change places: so do their results, and nothing else.
TEST(Sinkhorn, OrderInsideABlockDoesNotMatter) {
  Case c = random_case(60, 10, false, 8);
  const std::vector<float> before = sinkhorn(c);
  const auto reverse = [](std::vector<float>& rows, Index width) {
    std::vector<float> old = rows;
    for (Index i = 0; i < 60; ++i) {
      const Index from = i / 10 * 10 + 9 - i % 10;
      std::copy_n(old.begin() + from * width, width, rows.begin() + i * width);
    }
  };
  reverse(c.query, 8);
  reverse(c.key, 8);
  reverse(c.value, 5);
  std::vector<float> after = sinkhorn(c);
  reverse(after, 5);
  EXPECT_TRUE(agree(after, before));
}

TEST(Sinkhorn, LaterTokensChangeNothing) {
  for (const Index block : {7, 16, 64}) {
    Case c = random_case(130, block, true, 9);
    const std::vector<float> before = sinkhorn(c);
    for (const Index from : {1, 63, 64, 100, 112}) {
      Case changed = c;
      for (std::size_t n = from * 8; n < c.key.size(); ++n) changed.key[n] = changed.query[n] = nan;
      for (std::size_t n = from * 5; n < c.value.size(); ++n) changed.value[n] = nan;
      const std::vector<float> after = sinkhorn(changed);
      ASSERT_TRUE(same_bits({before.begin(), before.begin() + from * 5},
                            {after.begin(), after.begin() + from * 5}))
          << block << " " << from;
      EXPECT_TRUE(std::isnan(after.back()));
    }
  }
}

// The sort reads every token.
TEST(Sinkhorn, NanReachesEveryQueryThatSortsIt) {
  Case c = random_case(40, 8, false, 10);
  c.key[0] = nan;
  for (const float x : sinkhorn(c)) EXPECT_TRUE(std::isnan(x));
}

// So much that it is not done at once.
TEST(Sinkhorn, ManyHeadsAreEachTheSameAlone) {
  for (const bool causal : {false, true}) {
    const Case all = random_case(1000, 64, causal, 12, 6, 6, false, 64);
    const std::vector<float> together = sinkhorn(all);
    for (const Index head : {0, 4, 5}) {
      Case one = all;
      one.heads = one.kv_heads = 1;
      const auto own = [&](const std::vector<float>& rows, Index width) {
        return std::vector<float>(rows.begin() + head * 1000 * width,
                                  rows.begin() + (head + 1) * 1000 * width);
      };
      one.query = own(all.query, 64);
      one.key = own(all.key, 64);
      one.value = own(all.value, 5);
      EXPECT_TRUE(same_bits(sinkhorn(one), own(together, 5))) << head;
    }
  }
}

TEST(Sinkhorn, SameBitsOnAnyThreads) {
  const Case c = random_case(500, 20, false, 11, 4, 2);
  expect_same_on_any_threads([&] { return sinkhorn(c); });
}

TEST(Sinkhorn, NothingToDo) {
  EXPECT_EQ(sinkhorn(random_case(0, 4, false, 1)), std::vector<float>());
  EXPECT_EQ(sinkhorn(random_case(0, 4, true, 1)), std::vector<float>());
  EXPECT_EQ(sinkhorn(random_case(9, 4, true, 1, 0, 0)), std::vector<float>());
}

TEST(Sinkhorn, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Placed result({5, 2}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {5, 2});
  SinkhornOptions good;
  good.block_size = 2;
  good.sort_weights = {numbers, {4, 3}};
  const auto call = [&](const auto& change) {
    SinkhornOptions options = good;
    change(options);
    return try_sinkhorn_attention(x, x, x, result.view(), options);
  };
  const ErrorCode argument = ErrorCode::argument, shape = ErrorCode::shape;
  EXPECT_TRUE(refused(call([](auto& o) { o.block_size = 0; }), argument, {"blockSize", "1", "0"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.iterations = 0; }), argument, {"iterations", "0"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.temperature = -2; }), argument, {"temperature", "-2"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.temperature = nan; }), argument, {"NaN"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.sort_weights = {}; }), argument, {"sortWeights"}));
  EXPECT_TRUE(refused(call([&](auto& o) { o.sort_weights = {numbers, {4, 2}}; }), shape,
                      {"sortWeights", "[4, 3]", "[4, 2]", "5"}));
  EXPECT_TRUE(refused(call([&](auto& o) { o.sort_weights = {numbers, {2, 4, 3}}; }), shape,
                      {"sortWeights", "[2, 4, 3]"}));
  float sorting[4];
  EXPECT_TRUE(refused(call([&](auto& o) { o.sorting = {sorting, {2, 2}}; }), shape,
                      {"sorting", "[3, 3]", "[2, 2]"}));
  const ConstTensorView four(numbers, {4, 2});
  EXPECT_TRUE(refused(try_sinkhorn_attention(x, four, four, result.view(), good), shape,
                      {"5", "4"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(call([](auto&) {})));
}

TEST(Sinkhorn, ItsEntryRuns) {
  for (const Index n : {0, 1, 5, 64, 100}) {
    for (const Index d : {3, 8}) {
      const std::vector<float> x = Numbers(static_cast<std::uint64_t>(n + d)).list(2 * n * d);
      std::vector<float> result(x.size(), 9);
      const ConstTensorView view(x.data(), {2, n, d});
      const double small[] = {7, 3, 1};
      ASSERT_TRUE(ok(try_run(catalogue::sinkhorn, view, {}, {result.data(), view.shape})));
      for (const float y : result) ASSERT_TRUE(std::isfinite(y) && std::fabs(y) <= 1.001f);
      ASSERT_TRUE(ok(try_run(catalogue::sinkhorn, view, small, {result.data(), view.shape})));
      for (const float y : result) ASSERT_TRUE(std::isfinite(y) && std::fabs(y) <= 1.001f);
    }
  }
}

}  // namespace
}  // namespace qkv::test
