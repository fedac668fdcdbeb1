// Reformer's attention against its definition in float64, its limits, and what it must not see.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mechanisms/catalogue.hpp"
#include "qkv/content.hpp"
#include "random/fill.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// One head, or several that share rotations.
struct LshCase {
  Index length = 0, width = 4, value_width = 3;
  Index buckets = 4, chunk = 4, rounds = 1;
  bool causal = false;
  std::vector<float> x, value, rotations;

  void fill(std::uint64_t seed) {
    Numbers numbers(seed);
    // On a grid the rotated rows are exact, so that no rounding decides a bucket.
    x = numbers.grid(length * width);
    for (float& number : x) number *= 2;
    value = numbers.list(length * value_width);
    rotations = numbers.grid(width * rounds * (buckets / 2));
  }
  LshOptions options() const {
    LshOptions options;
    options.buckets = buckets;
    options.chunk_size = chunk;
    options.rounds = rounds;
    options.causal = causal;
    options.rotations = {rotations.data(), {width, rounds, buckets / 2}};
    return options;
  }
  std::vector<float> run() const {
    std::vector<float> result(static_cast<std::size_t>(length * value_width), not_a_number);
    const Shape shape{length, value_width};
    EXPECT_TRUE(ok(try_lsh_attention({x.data(), {length, width}}, {value.data(), shape},
                                     {result.data(), shape}, options())));
    return result;
  }
};

Index bucket(const LshCase& c, Index round, Index token) {
  const Index half = c.buckets / 2;
  std::vector<double> rotated(static_cast<std::size_t>(c.buckets), 0.0);
  for (Index b = 0; b < half; ++b) {
    for (Index d = 0; d < c.width; ++d) {
      rotated[b] += static_cast<double>(c.x[token * c.width + d]) *
                    c.rotations[(d * c.rounds + round) * half + b];
    }
    rotated[half + b] = -rotated[b];
  }
  return std::max_element(rotated.begin(), rotated.end()) - rotated.begin();
}

// The chunk of each token.
std::vector<Index> chunks_of(const LshCase& c, Index round) {
  std::vector<Index> order(static_cast<std::size_t>(c.length)), buckets(order), chunk(order);
  std::iota(order.begin(), order.end(), Index{0});
  for (Index t = 0; t < c.length; ++t) buckets[t] = bucket(c, round, t);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return buckets[a] < buckets[b]; });
  for (Index place = 0; place < c.length; ++place) chunk[order[place]] = place / c.chunk;
  return chunk;
}

bool sees(const LshCase& c, const std::vector<Index>& chunk, Index query, Index key) {
  const Index chunks = (c.length + c.chunk - 1) / c.chunk;
  const bool near = chunk[key] == chunk[query] || (chunk[key] + 1) % chunks == chunk[query];
  return near && (!c.causal || key <= query);
}

// With the score of -1e5 for a token's own key, as the published models have it.
std::vector<double> definition(const LshCase& c) {
  std::vector<double> result;
  std::vector<std::vector<Index>> chunk;
  for (Index round = 0; round < c.rounds; ++round) chunk.push_back(chunks_of(c, round));
  std::vector<double> scale;
  for (Index t = 0; t < c.length; ++t) {
    double squares = 0;
    for (Index d = 0; d < c.width; ++d) squares += std::pow(c.x[t * c.width + d], 2);
    scale.push_back(1 / std::sqrt(squares / c.width + 1e-6) / std::sqrt(c.width));
  }
  for (Index query = 0; query < c.length; ++query) {
    std::vector<double> log_sums;
    std::vector<std::vector<double>> outputs;
    for (Index round = 0; round < c.rounds; ++round) {
      std::vector<std::pair<Index, double>> scores;
      double maximum = -HUGE_VAL, sum = 0;
      for (Index key = 0; key < c.length; ++key) {
        if (!sees(c, chunk[round], query, key)) continue;
        double score = 0;
        for (Index d = 0; d < c.width; ++d) {
          score += c.x[query * c.width + d] * scale[key] * c.x[key * c.width + d];
        }
        if (key == query) score = -1e5;
        scores.emplace_back(key, score);
        maximum = std::fmax(maximum, score);
      }
      std::vector<double> output(static_cast<std::size_t>(c.value_width), 0.0);
      for (const auto& [key, score] : scores) sum += std::exp(score - maximum);
      for (const auto& [key, score] : scores) {
        const double weight = std::exp(score - maximum) / sum;
        for (Index d = 0; d < c.value_width; ++d) {
          output[d] += weight * c.value[key * c.value_width + d];
        }
      }
      log_sums.push_back(maximum + std::log(sum));
      outputs.push_back(output);
    }
    const double largest = *std::max_element(log_sums.begin(), log_sums.end());
    double total = 0;
    for (const double log_sum : log_sums) total += std::exp(log_sum - largest);
    for (Index d = 0; d < c.value_width; ++d) {
      double sum = 0;
      for (Index r = 0; r < c.rounds; ++r) sum += std::exp(log_sums[r] - largest) * outputs[r][d];
      result.push_back(sum / total);
    }
  }
  return result;
}

LshCase case_of(Index length, Index chunk, Index rounds, bool causal, std::uint64_t seed) {
  LshCase c;
  c.length = length;
  c.chunk = chunk;
  c.rounds = rounds;
  c.causal = causal;
  c.buckets = chunk == 1 ? 2 : 6;
  c.fill(seed);
  return c;
}

TEST(Reformer, IsItsDefinition) {
  std::uint64_t seed = 0;
  for (const Index length : {1, 2, 7, 63, 64, 65, 130}) {
    for (const Index chunk : {1, 3, 16, 64, 65}) {
      for (const Index rounds : {1, 3}) {
        for (const bool causal : {false, true}) {
          const LshCase c = case_of(length, chunk, rounds, causal, ++seed);
          EXPECT_TRUE(agree(c.run(), definition(c)))
              << length << " tokens, chunks of " << chunk << ", " << rounds << " rounds, "
              << (causal ? "causal" : "not causal");
        }
      }
    }
  }
}

// More chunks than are gathered at once.
TEST(Reformer, LongSequencesInSeveralPieces) {
  for (const bool causal : {false, true}) {
    LshCase c = case_of(2500, 96, 2, causal, 77);
    c.buckets = 16;
    c.width = 6;
    c.fill(78);
    EXPECT_TRUE(agree(c.run(), definition(c)));
  }
}

TEST(Reformer, BucketsByHand) {
  const float x[] = {1, 0, 0, 1, -1, 0, 0, -1, 1, 1, 0, 0, -1, -1, 2, -3};
  const float rotations[] = {1, 0, 0, 1};  // each token's own coordinates
  const std::vector<float> want = {0, 1, 2, 3, 0, 0, 2, 3};
  std::vector<float> buckets(8), result(8);
  LshOptions options;
  options.buckets = 4;
  options.chunk_size = 2;
  options.rotations = {rotations, {2, 1, 2}};
  options.bucket_of = {buckets.data(), {1, 8}};
  const ConstTensorView view(x, {8, 2}), value(x, {8, 1});
  ASSERT_TRUE(ok(try_lsh_attention(view, value, {result.data(), {8, 1}}, options)));
  EXPECT_EQ(buckets, want);
  options.chunk_size = 100;  // exact attention, but the buckets were asked for
  buckets.assign(8, -1);
  ASSERT_TRUE(ok(try_lsh_attention(view, value, {result.data(), {8, 1}}, options)));
  EXPECT_EQ(buckets, want);
}

TEST(Reformer, BucketsOfEveryRoundAndHead) {
  LshCase c = case_of(100, 8, 3, false, 5);
  const Placed x({2, 50, 4}, c.x, Layout::reversed), value({2, 50, 3}, c.value);
  Placed result({2, 50, 3}, Layout::padded_rows), buckets({2, 3, 50}, Layout::transposed);
  LshOptions options = c.options();
  options.bucket_of = buckets.view();
  ASSERT_TRUE(ok(try_lsh_attention(x.view(), value.view(), result.view(), options)));
  std::vector<double> want;
  for (Index head = 0; head < 2; ++head) {
    for (Index round = 0; round < 3; ++round) {
      for (Index t = 0; t < 50; ++t) {
        want.push_back(static_cast<double>(bucket(c, round, head * 50 + t)));
      }
    }
  }
  EXPECT_TRUE(agree(buckets.values(), want, {0, 0}));
  EXPECT_TRUE(buckets.gaps_untouched() && result.gaps_untouched());
}

// Up to two chunks every token sees every other.
TEST(Reformer, FewTokensAreExactAttention) {
  for (const bool causal : {false, true}) {
    for (const Index length : {2, 40, 128}) {
      LshCase c = case_of(length, 64, 4, causal, 9);
      std::vector<float> keys = c.x;
      for (Index t = 0; t < length; ++t) {
        double squares = 0;
        for (Index d = 0; d < c.width; ++d) squares += std::pow(c.x[t * c.width + d], 2);
        for (Index d = 0; d < c.width; ++d) {
          keys[t * c.width + d] /= static_cast<float>(std::sqrt(squares + 1e-6 * c.width));
        }
      }
      AttentionOptions exact;
      exact.score = score::Dot{};
      exact.mask = causal ? mask::causal(-1) : mask::negate(mask::window(0, 0));
      std::vector<float> want(static_cast<std::size_t>(length * 3));
      ASSERT_TRUE(ok(try_attention({c.x.data(), {length, 4}}, {keys.data(), {length, 4}},
                                   {c.value.data(), {length, 3}}, {want.data(), {length, 3}},
                                   exact)));
      if (causal) std::copy_n(c.value.begin(), 3, want.begin());  // the first has only itself
      EXPECT_TRUE(agree(c.run(), want)) << length;
    }
  }
}

TEST(Reformer, WeightsSumToOne) {
  for (const bool causal : {false, true}) {
    LshCase c = case_of(333, 16, 4, causal, 3);
    std::fill(c.value.begin(), c.value.end(), 1.0f);
    EXPECT_TRUE(agree(c.run(), std::vector<float>(c.value.size(), 1.0f)));
  }
}

// A token alone, and the first of a causal sequence, have nothing but themselves: their own value.
TEST(Reformer, OneselfIsTheLastResort) {
  for (const Index length : {1, 50}) {
    for (const Index chunk : {1, 4, 64}) {
      const LshCase c = case_of(length, chunk, 2, true, 6);
      const std::vector<float> result = c.run();
      for (Index d = 0; d < 3; ++d) EXPECT_EQ(result[d], c.value[d]);
    }
  }
  // Otherwise one's own value is not even read.
  LshCase c = case_of(50, 4, 2, false, 7);
  const std::vector<float> before = c.run();
  c.value[20 * 3] = not_a_number;
  const std::vector<float> after = c.run();
  for (Index d = 0; d < 3; ++d) EXPECT_EQ(after[20 * 3 + d], before[20 * 3 + d]);
}

// Later values, and later tokens as long as they stay in their buckets, change no bit before them.
TEST(Reformer, CausalByPosition) {
  LshCase c = case_of(150, 8, 2, true, 8);
  const std::vector<float> before = c.run();
  for (Index t = 100; t < 150; ++t) {
    for (Index d = 0; d < 3; ++d) c.value[t * 3 + d] = not_a_number;
    for (Index d = 0; d < 4; ++d) c.x[t * 4 + d] *= 4;
  }
  const std::vector<float> after = c.run();
  EXPECT_TRUE(same_bits({before.begin(), before.begin() + 300},
                        {after.begin(), after.begin() + 300}));
  EXPECT_TRUE(std::isnan(after.back()));
}

TEST(Reformer, NanReachesWhatSeesIt) {
  for (const bool causal : {false, true}) {
    LshCase c = case_of(70, 5, 2, causal, 10);
    c.value[33 * 3 + 1] = not_a_number;
    const std::vector<float> result = c.run();
    for (Index query = 0; query < 70; ++query) {
      bool reached = false;
      for (Index round = 0; round < 2; ++round) {
        reached |= query != 33 && sees(c, chunks_of(c, round), query, 33);
      }
      for (Index d = 0; d < 3; ++d) {
        EXPECT_EQ(std::isnan(result[query * 3 + d]), reached && d == 1) << query << " " << d;
      }
    }
  }
  // In a key: its own query is NaN, whatever that sees.
  LshCase c = case_of(70, 5, 1, false, 11);
  c.x[40 * 4 + 2] = not_a_number;
  const std::vector<float> result = c.run();
  Index finite = 0;
  for (Index query = 0; query < 70; ++query) finite += std::isfinite(result[query * 3]) ? 1 : 0;
  EXPECT_TRUE(std::isnan(result[40 * 3]));
  EXPECT_GE(finite, 70 - 3 * 5);
}

TEST(Reformer, RotationsAreDrawnFromTheSeed) {
  LshCase c = case_of(200, 8, 3, false, 12);
  const std::vector<float> given = c.run();
  for (std::size_t i = 0; i < c.rotations.size(); ++i) {
    c.rotations[i] = random::normal(21, static_cast<Index>(i), 1);
  }
  const std::vector<float> want = c.run();
  LshOptions options = c.options();
  options.rotations = {};
  std::vector<float> result(want.size());
  for (const std::uint64_t seed : {21, 22}) {
    options.seed = seed;
    ASSERT_TRUE(ok(try_lsh_attention({c.x.data(), {200, 4}}, {c.value.data(), {200, 3}},
                                     {result.data(), {200, 3}}, options)));
    EXPECT_EQ(result == want, seed == 21);
  }
  EXPECT_NE(given, want);
}

TEST(Reformer, HeadsAndStrides) {
  for (const bool causal : {false, true}) {
    // Two batch entries of three heads; the values have one head for all.
    LshCase all = case_of(6 * 45, 7, 2, causal, 13);
    const std::vector<float> value = Numbers(14).list(2 * 45 * 3);
    for (const Layout layout : layouts) {
      const Placed x({2, 3, 45, 4}, all.x, layout), values({2, 1, 45, 3}, value, layout);
      const Placed rotations({4, 2, 3}, all.rotations, layout);
      Placed result({2, 3, 45, 3}, layout);
      LshOptions options = all.options();
      options.rotations = rotations.view();
      ASSERT_TRUE(ok(try_lsh_attention(x.view(), values.view(), result.view(), options)));
      EXPECT_TRUE(result.gaps_untouched());
      std::vector<double> want;
      for (Index head = 0; head < 6; ++head) {
        LshCase one = all;
        one.length = 45;
        one.x.assign(all.x.begin() + head * 180, all.x.begin() + (head + 1) * 180);
        one.value.assign(value.begin() + head / 3 * 135, value.begin() + (head / 3 + 1) * 135);
        const std::vector<double> part = definition(one);
        want.insert(want.end(), part.begin(), part.end());
      }
      EXPECT_TRUE(agree(result.values(), want));
    }
  }
}

TEST(Reformer, ThreadsChangeNoBit) {
  LshCase c = case_of(3000, 32, 2, true, 15);
  c.width = 16;
  c.value_width = 24;
  c.buckets = 64;
  c.fill(16);
  expect_same_on_any_threads([&] { return c.run(); });
}

TEST(Reformer, NothingToDo) {
  LshOptions options;
  options.buckets = 2;
  options.chunk_size = 1;
  float some[8] = {};
  for (const Shape& shape : {Shape{0, 4}, Shape{2, 0, 4}, Shape{0, 3, 4}, Shape{3, 0}}) {
    EXPECT_TRUE(ok(try_lsh_attention({some, shape}, {some, shape}, {some, shape}, options)));
  }
  // Without features all tokens are alike.
  float result[4] = {};
  const float value[] = {1, 2, 3, 6};
  options.chunk_size = 4;
  EXPECT_TRUE(ok(try_lsh_attention({some, {4, 0}}, {value, {4, 1}}, {result, {4, 1}}, options)));
  EXPECT_NEAR(result[0], 11.0 / 3, 1e-6);
}

TEST(Reformer, RefusesWhatDoesNotFit) {
  const float some[64] = {};
  float result[12] = {};
  const ConstTensorView qk(some, {3, 4}), value(some, {3, 4});
  const TensorView to(result, {3, 4});
  const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;
  const auto with = [&](auto change) {
    LshOptions options;
    options.buckets = 4;
    options.chunk_size = 2;
    change(options);
    return try_lsh_attention(qk, value, to, options);
  };
  EXPECT_TRUE(ok(with([](LshOptions&) {})));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.buckets = 3; }), argument, {"buckets", "saw 3"}));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.buckets = 0; }), argument, {"buckets", "saw 0"}));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.chunk_size = 0; }), argument, {"chunkSize", "0"}));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.rounds = -1; }), argument, {"rounds", "-1"}));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.rounds = o.buckets = Index{1} << 61; }), argument,
                      {"rounds", "2305843009213693952"}));
  EXPECT_TRUE(refused(with([&](LshOptions& o) { o.rotations = {some, {4, 1, 3}}; }), shape,
                      {"rotations", "[4, 1, 2]", "[4, 1, 3]"}));
  EXPECT_TRUE(refused(with([](LshOptions& o) { o.rotations = {nullptr, {4, 1, 2}}; }), argument,
                      {"rotations", "data"}));
  EXPECT_TRUE(refused(with([&](LshOptions& o) { o.bucket_of = {result, {2, 3}}; }), shape,
                      {"bucket_of", "[1, 3]", "[2, 3]"}));
  LshOptions options;
  options.buckets = options.chunk_size = 2;
  EXPECT_TRUE(refused(try_lsh_attention(qk, {some, {2, 4}}, to, options), shape,
                      {"qk", "value", "3", "2"}));
  EXPECT_TRUE(refused(try_lsh_attention({some, {4}}, value, to, options), shape, {"qk", "rank 1"}));
  EXPECT_TRUE(refused(try_lsh_attention(qk, value, {result, {3, 3}}, options), shape,
                      {"result", "[3, 4]", "[3, 3]"}));
  EXPECT_TRUE(refused(try_lsh_attention({some, {2, 3, 4}}, {some, {3, 3, 4}}, to, options), shape,
                      {"value", "[3, 3, 4]"}));
}

#if defined(__cpp_exceptions)
TEST(Reformer, TheTwinMakesItsResult) {
  const LshCase c = case_of(40, 4, 2, false, 17);
  const Tensor result =
      lsh_attention({c.x.data(), {1, 40, 4}}, {c.value.data(), {1, 40, 3}}, c.options());
  EXPECT_EQ(result.shape(), (Shape{1, 40, 3}));
  EXPECT_TRUE(same_bits(elements(result), c.run()));
}
#endif

TEST(Reformer, CatalogueEntry) {
  const Mechanism& entry = catalogue::reformer;
  std::vector<double> numbers;
  for (const MechanismParameter& parameter : entry.parameters) numbers.push_back(parameter.value);
  for (const Index n : {0, 1, 5, 64, 100, 300}) {
    for (const Index d : {1, 3, 8}) {
      const std::vector<float> x = Numbers(18).list(2 * n * d);
      std::vector<float> result(x.size(), not_a_number);
      ASSERT_TRUE(ok(try_run(entry, {x.data(), {2, n, d}}, numbers, {result.data(), {2, n, d}})));
      for (const float number : result) EXPECT_TRUE(std::isfinite(number));
      EXPECT_GE(entry.cost(n, d, numbers.data()).multiply_adds, 0);
    }
  }
  // Linear in the length, once it is long.
  const auto cost = [&](Index n) { return entry.cost(n, 64, numbers.data()); };
  EXPECT_NEAR(cost(8192).multiply_adds / cost(4096).multiply_adds, 2, 1e-9);
  EXPECT_LT(cost(8192).bytes / cost(4096).bytes, 2);
}

}  // namespace
}  // namespace qkv::test
