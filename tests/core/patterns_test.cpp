// The mechanisms that are masks: their pairs against a definition, their results against float64,
// their costs against counted pairs.
#include <gtest/gtest.h>

#include <set>

#include "mechanisms/catalogue.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"

namespace qkv::test {
namespace {

using Values = std::vector<double>;
using Allowed = std::function<bool(Index i, Index j)>;

struct Pattern {
  const Mechanism& mechanism;
  // The pairs of n tokens by definition.
  std::function<Allowed(Index n, const Values& parameters)> define;
  std::vector<Values> more;  // parameters besides those of the list
  bool exact_cost = true;    // the formula counts every pair
};

Values defaults(const Mechanism& mechanism) {
  Values values;
  for (const MechanismParameter& parameter : mechanism.parameters) values.push_back(parameter.value);
  return values;
}

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {catalogue::exact, [](Index, const Values&) { return [](Index, Index) { return true; }; }, {}},
      {catalogue::local,
       [](Index, const Values& p) { return [=](Index i, Index j) { return std::abs(i - j) <= p[0]; }; },
       {{0}, {3}, {1e12}}},
      {catalogue::strided,
       [](Index, const Values& p) {
         return [=](Index i, Index j) { return (i - j) % static_cast<Index>(p[0]) == 0; };
       },
       {{1}, {7}, {1e12}}},
      {catalogue::global,
       [](Index, const Values& p) { return [=](Index i, Index j) { return i < p[0] || j < p[0]; }; },
       {{0}, {3}, {1e12}}},
      {catalogue::sparse_transformer,
       [](Index, const Values& p) {
         const auto stride = static_cast<Index>(p[0]), summary = static_cast<Index>(p[1]);
         return [=](Index i, Index j) {
           if (j > i) return false;
           if (summary == 0) return i - j < stride || (i - j) % stride == 0;
           return i / stride == j / stride || j % stride >= stride - summary;
         };
       },
       {{1, 0}, {7, 0}, {7, 1}, {7, 3}, {32, 32}, {1e12, 0}, {1e12, 5}}},
      {catalogue::longformer,
       [](Index, const Values& p) {
         return [=](Index i, Index j) { return std::abs(i - j) <= p[0] || i < p[1] || j < p[1]; };
       },
       {{0, 0}, {3, 2}, {2, 1e12}, {1e12, 0}}},
  };
  return all;
}

std::vector<float> pattern_of(const Mechanism& mechanism, Index n, const Values& parameters) {
  Made matrix(Shape{n, n});
  EXPECT_TRUE(ok(mechanism.pattern(n, parameters.data(), matrix)));
  return elements(matrix);
}

// softmax(x x^T / sqrt(d)) x over the allowed pairs; x [n, d].
std::vector<double> attention64(const float* x, Index n, Index d, const std::vector<float>& allowed) {
  std::vector<double> result(static_cast<std::size_t>(n * d), 0);
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    std::vector<double> row(static_cast<std::size_t>(d), 0);
    for (Index j = 0; j < n; ++j) {
      if (allowed[static_cast<std::size_t>(i * n + j)] == 0) continue;
      double score = 0;
      for (Index k = 0; k < d; ++k) score += static_cast<double>(x[i * d + k]) * x[j * d + k];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(d)));
      sum += weight;
      for (Index k = 0; k < d; ++k) row[static_cast<std::size_t>(k)] += weight * x[j * d + k];
    }
    for (Index k = 0; k < d && sum > 0; ++k) result[i * d + k] = row[static_cast<std::size_t>(k)] / sum;
  }
  return result;
}

// Every parameter list of a pattern.
std::vector<Values> lists_of(const Pattern& pattern) {
  std::vector<Values> lists = pattern.more;
  lists.push_back(defaults(pattern.mechanism));
  return lists;
}

TEST(Patterns, PairsAreThoseOfTheDefinition) {
  for (const Pattern& pattern : patterns()) {
    for (const Values& parameters : lists_of(pattern)) {
      for (const Index n : {0, 1, 5, 64, 100, 130}) {
        const Allowed allowed = pattern.define(n, parameters);
        std::vector<float> want;
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) want.push_back(allowed(i, j) ? 1.0f : 0.0f);
        }
        EXPECT_TRUE(same_bits(pattern_of(pattern.mechanism, n, parameters), want))
            << pattern.mechanism.name << " of " << n;
      }
    }
  }
}

TEST(Patterns, CostsCountThePairs) {
  for (const Pattern& pattern : patterns()) {
    for (const Values& parameters : lists_of(pattern)) {
      for (const Index n : {0, 1, 5, 64, 100, 130}) {
        double pairs = 0;
        for (const float pair : pattern_of(pattern.mechanism, n, parameters)) pairs += pair;
        const MechanismCost cost = pattern.mechanism.cost(n, 8, parameters.data());
        EXPECT_EQ(cost.multiply_adds, 16 * pairs)
            << pattern.mechanism.name << " of " << n << ", " << testing::PrintToString(parameters);
        EXPECT_GT(cost.bytes, 0);
      }
    }
  }
}

TEST(Patterns, ResultsAreExactAttentionOverThePairs) {
  Numbers numbers(1);
  std::vector<const Mechanism*> mechanisms = {&catalogue::big_bird, &catalogue::graph};
  for (const Pattern& pattern : patterns()) mechanisms.push_back(&pattern.mechanism);
  for (const Mechanism* mechanism : mechanisms) {
    const Values parameters = defaults(*mechanism);
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const std::vector<float> x = numbers.list(2 * n * d);
        Made result(Shape{2, 1, n, d});
        ASSERT_TRUE(ok(try_run(*mechanism, {x.data(), {2, 1, n, d}}, parameters, result)));
        const std::vector<float> allowed = pattern_of(*mechanism, n, parameters);
        std::vector<double> want = attention64(x.data(), n, d, allowed);
        const std::vector<double> second = attention64(x.data() + n * d, n, d, allowed);
        want.insert(want.end(), second.begin(), second.end());
        EXPECT_TRUE(agree(elements(result), want)) << mechanism->name << " of " << n << " x " << d;
      }
    }
  }
}

TEST(Patterns, WideOnesAreExactAttention) {
  Numbers numbers(2);
  constexpr Index n = 100, d = 8;
  const std::vector<float> x = numbers.list(n * d);
  Made want(Shape{n, d}), result(Shape{n, d});
  ASSERT_TRUE(ok(try_run(catalogue::exact, {x.data(), {n, d}}, {}, want)));
  const std::pair<const Mechanism*, Values> wide[] = {
      {&catalogue::local, {n}},         {&catalogue::strided, {1}},
      {&catalogue::global, {n}},        {&catalogue::longformer, {n, 0}},
      {&catalogue::big_bird, {n, 3, 2, 0}}, {&catalogue::graph, {n / 2, 0, 0}}};
  for (const auto& [mechanism, parameters] : wide) {
    ASSERT_TRUE(ok(try_run(*mechanism, {x.data(), {n, d}}, parameters, result)));
    EXPECT_TRUE(agree(elements(result), elements(want))) << mechanism->name;
  }
}

TEST(Patterns, BigBirdTakesAsManyBlocksAsThereAre) {
  // From one block to nine of 4: rows in the middle have n / 4 - 5 left.
  for (const Index n : {0, 1, 4, 7, 16, 21, 36}) {
    const Values parameters = {4, 3, 2, 5};
    const std::vector<float> matrix = pattern_of(catalogue::big_bird, n, parameters);
    const Index blocks = (n + 3) / 4;
    const Index random = std::min<Index>(3, std::max<Index>(blocks - 5, 0));
    for (Index row = 0; row < blocks; ++row) {
      Index seen = 0;
      for (Index column = 0; column < blocks; ++column) {
        seen += matrix[static_cast<std::size_t>(4 * row * n + 4 * column)] != 0 ? 1 : 0;
      }
      const bool global = row == 0 || row == blocks - 1;
      std::set<Index> fixed = {0, row - 1, row, row + 1, blocks - 1};
      EXPECT_EQ(seen, global ? blocks : static_cast<Index>(fixed.size()) + random) << n << " " << row;
    }
  }
  // The formula leaves out that the window and the global blocks overlap near the ends.
  const Values parameters = defaults(catalogue::big_bird);
  double pairs = 0;
  for (const float pair : pattern_of(catalogue::big_bird, 1600, parameters)) pairs += pair;
  const double counted = catalogue::big_bird.cost(1600, 1, parameters.data()).multiply_adds / 2;
  EXPECT_NEAR(counted / pairs, 1, 0.05);
}

TEST(Patterns, GraphsAreRingsWithEdgesBothWays) {
  for (const Index n : {0, 1, 2, 3, 5, 9, 64, 100}) {
    const std::vector<float> ring = pattern_of(catalogue::graph, n, {2, 0, 0});
    const std::vector<float> world = pattern_of(catalogue::graph, n, {2, 3, 1});
    Index added = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Index apart = std::abs(i - j);
        const auto at = static_cast<std::size_t>(i * n + j), back = static_cast<std::size_t>(j * n + i);
        EXPECT_EQ(ring[at] != 0, std::min(apart, n - apart) <= 2) << n << ": " << i << " " << j;
        EXPECT_EQ(world[at], world[back]);
        EXPECT_LE(ring[at], world[at]);
        added += world[at] != ring[at] ? 1 : 0;
      }
    }
    EXPECT_LE(added, 6 * n);
    if (n >= 64) {
      EXPECT_GT(added, 4 * n);  // few meet
      EXPECT_NE(world, pattern_of(catalogue::graph, n, {2, 3, 2}));
    }
  }
  const Values parameters = defaults(catalogue::graph);
  double pairs = 0;
  for (const float pair : pattern_of(catalogue::graph, 400, parameters)) pairs += pair;
  const double counted = catalogue::graph.cost(400, 1, parameters.data()).multiply_adds / 2;
  EXPECT_NEAR(counted / pairs, 1, 0.05);
}

TEST(Patterns, SparseTransformersSummaryIsTheMasks) {
  Made matrix(Shape{9, 9});
  const Values parameters = {3, 4};
  EXPECT_TRUE(refused(catalogue::sparse_transformer.pattern(9, parameters.data(), matrix),
                      ErrorCode::argument, {"summary", "3", "4"}));
}

TEST(Patterns, MatricesMayHaveAnyStrides) {
  std::vector<float> memory(2 * 3 * 3, 9);
  const Values parameters = {1};
  ASSERT_TRUE(ok(catalogue::local.pattern(3, parameters.data(), {memory.data(), {3, 3}, {2, 6}})));
  EXPECT_EQ(memory, (std::vector<float>{1, 9, 1, 9, 0, 9, 1, 9, 1, 9, 1, 9, 0, 9, 1, 9, 1, 9}));
}

}  // namespace
}  // namespace qkv::test
