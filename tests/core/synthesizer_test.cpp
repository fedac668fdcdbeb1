// The Synthesizer against its definition in double precision: every source of scores, alone and
// added up, with heads, masks, bands of queries, strides and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mechanisms/catalogue.hpp"
#include "qkv/mixers.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

using Pair = std::function<bool(Index head, Index i, Index j)>;

// Tables have `heads` of their own: 0 is none.
struct Case {
  Index batch = 2, x_heads = 1, heads = 2, n = 9, width = 5, value_width = 4, most = 12;
  Index hidden = 6, rank = 3, dense_heads = 0, random_heads = 0, factorized_heads = 0;
  bool dense = false, biases = true, random = false, factorized = false;
  Mask mask;
  Pair allowed = [](Index, Index, Index) { return true; };

  std::vector<float> x, value, weight_1, bias_1, weight_2, bias_2, table, left, right;

  void fill(std::uint64_t seed) {
    Numbers numbers(seed);
    x = numbers.list(batch * x_heads * n * width);
    value = numbers.list(batch * heads * n * value_width);
    const auto of = [](Index its) { return std::max<Index>(its, 1); };
    weight_1 = numbers.list(of(dense_heads) * hidden * width);
    bias_1 = numbers.list(of(dense_heads) * hidden);
    weight_2 = numbers.list(of(dense_heads) * most * hidden);
    bias_2 = numbers.list(of(dense_heads) * most);
    table = numbers.list(of(random_heads) * most * most);
    left = numbers.list(of(factorized_heads) * most * rank);
    right = numbers.list(of(factorized_heads) * rank * most);
  }

  // Score of query i and key j.
  double score(Index b, Index h, Index i, Index j) const {
    const auto head = [&](Index its) { return its > 1 ? h : 0; };
    double sum = 0;
    if (dense) {
      const Index g = head(dense_heads);
      const float* token = x.data() + ((b * x_heads + head(x_heads)) * n + i) * width;
      sum += biases ? bias_2[g * most + j] : 0;
      for (Index u = 0; u < hidden; ++u) {
        double inner = biases ? bias_1[g * hidden + u] : 0;
        for (Index d = 0; d < width; ++d) {
          inner += static_cast<double>(token[d]) * weight_1[(g * hidden + u) * width + d];
        }
        sum += std::fmax(inner, 0) * weight_2[(g * most + j) * hidden + u];
      }
    }
    if (random) sum += table[(head(random_heads) * most + i) * most + j];
    for (Index k = 0; k < rank && factorized; ++k) {
      const Index g = head(factorized_heads);
      sum += static_cast<double>(left[(g * most + i) * rank + k]) * right[(g * rank + k) * most + j];
    }
    return sum;
  }

  std::vector<double> reference() const {
    std::vector<double> result;
    for (Index b = 0; b < batch; ++b) {
      for (Index h = 0; h < heads; ++h) {
        const float* values = value.data() + (b * heads + h) * n * value_width;
        for (Index i = 0; i < n; ++i) {
          std::vector<double> row(static_cast<std::size_t>(value_width));
          double total = 0;
          for (Index j = 0; j < n; ++j) {
            if (!allowed(h, i, j)) continue;
            const double weight = std::exp(score(b, h, i, j));
            total += weight;
            for (Index d = 0; d < value_width; ++d) row[d] += weight * values[j * value_width + d];
          }
          for (const double sum : row) result.push_back(total > 0 ? sum / total : 0);
        }
      }
    }
    return result;
  }

  Status call(std::vector<float>& result, Layout inputs = Layout::row_major,
              Layout results = Layout::row_major) const {
    const auto shape = [](Index its, Index a, Index b) {
      return its > 0 ? Shape{its, a, b} : Shape{a, b};
    };
    const auto shape_1 = [](Index its, Index a) { return its > 0 ? Shape{its, a} : Shape{a}; };
    const Placed tokens({batch, x_heads, n, width}, x, inputs);
    const Placed values({batch, heads, n, value_width}, value, inputs);
    const Placed first(shape(dense_heads, hidden, width), weight_1, inputs);
    const Placed first_bias(shape_1(dense_heads, hidden), bias_1, inputs);
    const Placed second(shape(dense_heads, most, hidden), weight_2, inputs);
    const Placed second_bias(shape_1(dense_heads, most), bias_2, inputs);
    const Placed scores(shape(random_heads, most, most), table, inputs);
    const Placed lefts(shape(factorized_heads, most, rank), left, inputs);
    const Placed rights(shape(factorized_heads, rank, most), right, inputs);
    SynthesizerOptions options;
    options.mask = mask;
    if (dense) {
      options.weight_1 = first.view();
      options.weight_2 = second.view();
      if (biases) {
        options.bias_1 = first_bias.view();
        options.bias_2 = second_bias.view();
      }
    }
    if (random) options.random = scores.view();
    if (factorized) {
      options.left = lefts.view();
      options.right = rights.view();
    }
    Placed to({batch, heads, n, value_width}, results, 9);
    Status status = try_synthesizer(tokens.view(), values.view(), to.view(), options);
    EXPECT_TRUE(to.gaps_untouched());
    result = to.values();
    return status;
  }

  std::vector<float> run(Layout inputs = Layout::row_major,
                         Layout results = Layout::row_major) const {
    std::vector<float> result;
    EXPECT_TRUE(ok(call(result, inputs, results)));
    return result;
  }
};

TEST(Synthesizer, EverySourceAndHeads) {
  for (int sources = 1; sources < 8; ++sources) {
    for (int heads = 0; heads < 8; ++heads) {
      Case made;
      made.dense = (sources & 1) != 0;
      made.random = (sources & 2) != 0;
      made.factorized = (sources & 4) != 0;
      made.dense_heads = (heads & 1) != 0 ? 2 : 0;
      made.random_heads = (heads & 2) != 0 ? 2 : heads & 1;
      made.factorized_heads = (heads & 4) != 0 ? 2 : heads & 1;
      made.biases = heads % 3 != 0;
      made.x_heads = heads % 2 == 0 ? 2 : 1;
      made.fill(static_cast<std::uint64_t>(sources * 8 + heads));
      EXPECT_TRUE(agree(made.run(), made.reference())) << sources << " " << heads;
    }
  }
}

// Tables with one head for all, which is shared, where x has several.
TEST(Synthesizer, OneHeadOfTablesServesAll) {
  Case made;
  made.dense = true;
  made.dense_heads = 1;
  made.x_heads = made.heads = 3;
  made.fill(5);
  EXPECT_TRUE(agree(made.run(), made.reference()));
}

TEST(Synthesizer, SizesAroundTiles) {
  for (const Index n : {1, 7, 63, 64, 65, 130}) {
    Case made;
    made.n = n;
    made.most = n + n % 3;
    made.dense = made.factorized = true;
    made.random = n % 2 == 0;
    made.fill(static_cast<std::uint64_t>(n));
    EXPECT_TRUE(agree(made.run(), made.reference())) << n;
    made.mask = mask::causal();
    made.allowed = [](Index, Index i, Index j) { return j <= i; };
    EXPECT_TRUE(agree(made.run(), made.reference())) << n;
  }
}

TEST(Synthesizer, AnyStrides) {
  Case made;
  made.dense = made.random = made.factorized = true;
  made.dense_heads = made.random_heads = made.factorized_heads = 2;
  made.fill(6);
  for (const Layout inputs : layouts) {
    for (const Layout results : layouts) {
      EXPECT_TRUE(agree(made.run(inputs, results), made.reference()));
    }
  }
}

// So long that scores are made in several bands of queries: masks must speak of all queries.
Case in_bands() {
  Case made;
  made.batch = 1;
  made.heads = 2;
  made.n = made.most = 1100;  // of both heads at once, 448 queries fit
  made.width = made.value_width = 2;
  made.hidden = made.rank = 2;
  return made;
}

TEST(Synthesizer, BandsOfQueriesSeeTheirOwnMask) {
  Case made = in_bands();
  made.dense = true;
  made.dense_heads = 2;
  made.fill(7);
  // Sums of a thousand terms in single precision.
  const Tolerance sums{2e-6, 2e-6};
  EXPECT_TRUE(agree(made.run(), made.reference(), sums));
  made.mask = mask::window(3, 5);
  made.allowed = [](Index, Index i, Index j) { return i - 3 <= j && j <= i + 5; };
  EXPECT_TRUE(agree(made.run(), made.reference(), sums));
  made.mask = mask::per_head({mask::causal(), mask::lengths({900}, {800})});
  made.allowed = [](Index h, Index i, Index j) { return h == 0 ? j <= i : i < 800 && j < 900; };
  EXPECT_TRUE(agree(made.run(), made.reference(), sums));
}

TEST(Synthesizer, BandsHoldNoMoreThanTheirTables) {
  Case made = in_bands();
  made.factorized = true;
  made.fill(8);
  EXPECT_TRUE(agree(made.run(), made.reference(), {2e-6, 2e-6}));
}

TEST(Synthesizer, ByHand) {
  // Scores 0 and ln 3 of the only source: weights 1/4 and 3/4.
  const float table[] = {0, std::log(3.0f), 0, 0}, x[] = {5, 6}, value[] = {4, 8};
  float result[2];
  SynthesizerOptions options;
  options.random = {table, {2, 2}};
  ASSERT_TRUE(ok(try_synthesizer({x, {2, 1}}, {value, {2, 1}}, {result, {2, 1}}, options)));
  EXPECT_NEAR(result[0], 7, 1e-6);
  EXPECT_NEAR(result[1], 6, 1e-6);
}

TEST(Synthesizer, WeightsSumTo1) {
  Case made;
  made.dense = made.random = true;
  made.n = 70;
  made.most = 70;
  made.fill(9);
  made.value.assign(made.value.size(), 1.0f);
  for (const float value : made.run()) EXPECT_NEAR(value, 1, 1e-6);
}

TEST(Synthesizer, CausalTokensDoNotSeeLaterOnes) {
  Case made;
  made.n = made.most = 150;
  made.dense = made.random = made.factorized = true;
  made.mask = mask::causal();
  made.fill(10);
  const std::vector<float> before = made.run();
  const auto change = [&](std::vector<float>& list, Index width) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (static_cast<Index>(at) / width % made.n >= 100) {
        list[at] = std::numeric_limits<float>::quiet_NaN();
      }
    }
  };
  change(made.x, made.width);
  change(made.value, made.value_width);
  const std::vector<float> after = made.run();
  for (std::size_t row = 0; row < 4; ++row) {
    const auto from = static_cast<std::ptrdiff_t>(row * 150 * 4);
    EXPECT_TRUE(same_bits({before.begin() + from, before.begin() + from + 400},
                          {after.begin() + from, after.begin() + from + 400}));
    EXPECT_TRUE(std::isnan(after[static_cast<std::size_t>(from) + 400]));
  }
}

// Scores do not come from the other tokens: with those in another order the weights stay in place.
TEST(Synthesizer, DenseScoresFollowTheTokenAlone) {
  Case made;
  made.dense = true;
  made.fill(11);
  const std::vector<float> before = made.run();
  for (Index b = 0; b < made.batch; ++b) {
    float* rows = made.x.data() + b * made.n * made.width;
    std::swap_ranges(rows, rows + made.width, rows + made.width);
  }
  const std::vector<float> after = made.run();
  for (Index head = 0; head < 4; ++head) {
    const float *old = before.data() + head * 36, *now = after.data() + head * 36;
    for (Index d = 0; d < 4; ++d) {
      EXPECT_NEAR(old[d], now[4 + d], 1e-6);
      EXPECT_NEAR(old[4 + d], now[d], 1e-6);
    }
    for (Index d = 8; d < 36; ++d) EXPECT_NEAR(old[d], now[d], 1e-6);
  }
}

TEST(Synthesizer, ThreadsChangeNoBit) {
  Case made = in_bands();
  made.dense = made.random = true;
  made.mask = mask::causal();
  made.fill(12);
  expect_same_on_any_threads([&] { return made.run(); });
}

TEST(Synthesizer, LeadingAxesAndEmptySizes) {
  Shape shape;
  float numbers[200] = {};
  const auto view = [&](const Shape& s) { return ConstTensorView(numbers, s); };
  ASSERT_TRUE(ok(synthesizer_shape(view({3, 2}), view({4, 3, 5}), shape)));
  EXPECT_EQ(shape, (Shape{4, 3, 5}));
  ASSERT_TRUE(ok(synthesizer_shape(view({2, 1, 3, 2}), view({4, 3, 5}), shape)));
  EXPECT_EQ(shape, (Shape{2, 4, 3, 5}));
  ASSERT_TRUE(ok(synthesizer_shape(view({4, 3, 2}), view({2, 3, 5}), shape)));  // grouped heads
  EXPECT_EQ(shape, (Shape{4, 3, 5}));
  ASSERT_TRUE(ok(synthesizer_shape(view({3, 2}), view({3, 5}), shape)));
  EXPECT_EQ(shape, (Shape{3, 5}));

  SynthesizerOptions options;
  options.random = {nullptr, {0, 0}};
  EXPECT_TRUE(ok(try_synthesizer({nullptr, {0, 2}}, {nullptr, {0, 5}}, {nullptr, {0, 5}}, options)));
  options.random = view({3, 3});
  options.left = view({3, 0});
  options.right = view({0, 3});
  EXPECT_TRUE(ok(try_synthesizer({nullptr, {0, 3, 2}}, {nullptr, {0, 3, 5}}, {nullptr, {0, 3, 5}},
                                 options)));
  // No units and no rank: scores of 0, the mean of the values.
  options.random = {};
  options.weight_1 = view({0, 2});
  options.weight_2 = view({3, 0});
  const float value[] = {1, 2, 6};
  float result[3];
  ASSERT_TRUE(ok(try_synthesizer(view({3, 2}), {value, {3, 1}}, {result, {3, 1}}, options)));
  for (const float mean : result) EXPECT_NEAR(mean, 3, 1e-6);
}

TEST(Synthesizer, RefusesWhatDoesNotFit) {
  float numbers[400] = {};
  const auto view = [&](const Shape& s) { return ConstTensorView(numbers, s); };
  const ErrorCode shape = ErrorCode::shape;
  float memory[30];
  const auto call = [&](const SynthesizerOptions& options) {
    return try_synthesizer(view({2, 3, 4}), view({2, 3, 5}), {memory, {2, 3, 5}}, options);
  };
  SynthesizerOptions options;
  EXPECT_TRUE(refused(call(options), ErrorCode::argument, {"dense", "random", "factorized", "none"}));
  options.random = view({2, 3});
  EXPECT_TRUE(refused(call(options), shape, {"random", "3", "[2, 3]"}));
  options.random = view({3, 3, 3});
  EXPECT_TRUE(refused(call(options), shape, {"random", "3 heads", "2"}));
  options.random = view({1, 2, 3, 3});
  EXPECT_TRUE(refused(call(options), shape, {"random", "[1, 2, 3, 3]"}));
  options.random = {};
  options.weight_1 = view({6, 5});
  EXPECT_TRUE(refused(call(options), shape, {"dense.weight2", "rank 0"}));
  options.weight_2 = view({3, 6});
  EXPECT_TRUE(refused(call(options), shape, {"dense.weight1", "4", "[6, 5]"}));
  options.weight_1 = view({6, 4});
  options.weight_2 = view({2, 6});
  EXPECT_TRUE(refused(call(options), shape, {"dense.weight2", "3", "[2, 6]"}));
  options.weight_2 = view({3, 7});
  EXPECT_TRUE(refused(call(options), shape, {"dense.weight2", "6", "[3, 7]"}));
  options.weight_2 = view({8, 6});
  options.bias_1 = view({5});
  EXPECT_TRUE(refused(call(options), shape, {"dense.bias1", "6", "[5]"}));
  options.bias_1 = view({6});
  options.bias_2 = view({3});
  EXPECT_TRUE(refused(call(options), shape, {"dense.bias2", "8", "[3]"}));
  options.bias_2 = view({8});
  EXPECT_TRUE(ok(call(options)));
  options.left = view({3, 2});
  EXPECT_TRUE(refused(call(options), shape, {"factorized.right", "rank 0"}));
  options.right = view({3, 3});
  EXPECT_TRUE(refused(call(options), shape, {"factorized", "2", "3"}));
  options.right = view({2, 2});
  EXPECT_TRUE(refused(call(options), shape, {"factorized", "[3, 2]", "[2, 2]"}));
  options.right = view({2, 3});
  EXPECT_TRUE(ok(call(options)));
  EXPECT_TRUE(refused(try_synthesizer(view({3, 4}), view({4, 5}), {memory, {3, 5}}, options), shape,
                      {"length", "3", "4"}));
  EXPECT_TRUE(refused(try_synthesizer(view({3, 3, 4}), view({2, 3, 5}), {memory, {2, 3, 5}}, options),
                      shape, {"leading axes", "[3, 3, 4]", "[2, 3, 5]"}));
  EXPECT_TRUE(refused(try_synthesizer(view({3, 4}), view({3, 5}), {memory, {3, 4}}, options), shape,
                      {"result", "[3, 5]", "[3, 4]"}));
  options.mask = mask::keep(BoolView(reinterpret_cast<const std::uint8_t*>("\1\1\1\1\1\1\1\1"), {2, 4}));
  EXPECT_FALSE(call(options).ok());
}

TEST(Synthesizer, CatalogueEntries) {
  for (const Mechanism* entry :
       {&catalogue::synthesizer_dense, &catalogue::synthesizer_random,
        &catalogue::synthesizer_factorized}) {
    std::vector<double> parameters;
    for (const MechanismParameter& parameter : entry->parameters) parameters.push_back(parameter.value);
    for (const Index n : {1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const std::vector<float> x = Numbers(13).list(n * d);
        std::vector<float> result(x.size(), NAN), pairs(static_cast<std::size_t>(n * n), 0.0f);
        ASSERT_TRUE(ok(try_run(*entry, {x.data(), {n, d}}, parameters, {result.data(), {n, d}})));
        // Means of numbers in [-1, 1).
        for (const float value : result) EXPECT_LE(std::fabs(value), 1.0f) << entry->name;
        ASSERT_TRUE(ok(entry->pattern(n, parameters.data(), {pairs.data(), {n, n}})));
        EXPECT_EQ(pairs, std::vector<float>(static_cast<std::size_t>(n * n), 1.0f));
        EXPECT_GE(entry->cost(n, d, parameters.data()).multiply_adds, static_cast<double>(n * n * d));
      }
    }
  }
}

}  // namespace
}  // namespace qkv::test
