// What is drawn: dropout and sampling follow their probabilities, and the seed alone.
#include <gtest/gtest.h>

#include <map>

#include "reference.hpp"
#include "support/attend.hpp"

namespace qkv::test {
namespace {

// Equal queries, each of which draws for itself.
PlainCall equal_queries(Index queries, Index keys, std::uint64_t seed) {
  PlainCall call = random_call(1, keys, 4, 3, seed);
  const std::vector<float> query = call.query;
  call.queries = queries;
  call.query.clear();
  for (Index i = 0; i < queries; ++i) call.query.insert(call.query.end(), query.begin(), query.end());
  call.scale = 1.5f;
  return call;
}

Asked sampling(std::uint64_t seed) {
  Asked asked;
  asked.sample_seed = seed;
  return asked;
}

Asked dropping(float p, std::uint64_t seed) {
  Asked asked;
  asked.dropout = Dropout{p, seed};
  return asked;
}

TEST(Sample, FollowsTheSoftmax) {
  // In one panel, over several tiles, and under a mask of so few pairs that each row is run by itself.
  for (const auto& [keys, sparse] :
       {std::pair<Index, bool>{6, false}, {130, false}, {130, true}}) {
    PlainCall call = equal_queries(3000, keys, 1);
    if (sparse) {
      const std::vector<Index> open = {0, 3, 70, 128, 129};
      std::vector<Index> offsets{0}, columns;
      call.allowed.assign(static_cast<std::size_t>(call.pairs()), 0);
      for (Index i = 0; i < call.queries; ++i) {
        columns.insert(columns.end(), open.begin(), open.end());
        offsets.push_back(static_cast<Index>(columns.size()));
        for (const Index j : open) call.allowed[i * keys + j] = 1;
      }
      call.mask = mask::edges(offsets, columns);
    }
    const std::vector<double> weights = reference(call).weights;
    std::map<Index, Index> drawn;
    constexpr int seeds = 4;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Results<float> got = attend(call, sampling(seed));
      for (Index i = 0; i < call.queries; ++i) {
        Index key = -1;
        for (Index j = 0; j < keys; ++j) {
          const float weight = got.weights[static_cast<std::size_t>(i * keys + j)];
          if (weight == 0) continue;
          ASSERT_EQ(weight, 1);
          ASSERT_EQ(key, -1) << "two keys in row " << i;
          key = j;
        }
        ASSERT_GE(key, 0);
        ++drawn[key];
        for (Index d = 0; d < call.value_width; ++d) {
          ASSERT_EQ(got.output[static_cast<std::size_t>(i * call.value_width + d)],
                    call.value[static_cast<std::size_t>(key * call.value_width + d)]);
        }
      }
    }
    double chi_square = 0;
    int kinds = 0;
    const double draws = static_cast<double>(seeds) * static_cast<double>(call.queries);
    for (Index j = 0; j < keys; ++j) {
      const double expected = weights[static_cast<std::size_t>(j)] * draws;
      if (expected == 0) {
        ASSERT_EQ(drawn.count(j), 0u);
        continue;
      }
      const double difference = static_cast<double>(drawn[j]) - expected;
      chi_square += difference * difference / expected;
      ++kinds;
    }
    // Six deviations above the mean of the distribution with kinds - 1 degrees of freedom.
    EXPECT_LT(chi_square, kinds - 1 + 6 * std::sqrt(2.0 * (kinds - 1))) << keys << " keys";
  }
}

TEST(Sample, IsAFunctionOfItsSeed) {
  const PlainCall call = equal_queries(200, 40, 2);
  const Results<float> first = attend(call, sampling(7));
  EXPECT_TRUE(same_bits(first, attend(call, sampling(7))));
  EXPECT_FALSE(same_bits(first, attend(call, sampling(8))));
  // Rows draw apart: 200 equal rows do not all choose alike.
  EXPECT_FALSE(same_bits(std::vector<float>(first.output.begin(), first.output.begin() + 60),
                         std::vector<float>(first.output.begin() + 60, first.output.begin() + 120)));
}

TEST(Sample, OfOneKeyIsThatKey) {
  PlainCall call = random_call(5, 1, 3, 4);
  const std::vector<float> got = attend(call, sampling(3)).output;
  for (std::size_t n = 0; n < got.size(); ++n) EXPECT_EQ(got[n], call.value[n % 4]);
}

TEST(DropoutOption, OfZeroChangesNoBit) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const Mask& mask : {Mask(), mask::strided(13)}) {
      for (const Index keys : {7, 130}) {
        PlainCall call = random_call(20, keys, 6, 5);
        call.normalizer = normalizer;
        call.mask = mask;
        EXPECT_TRUE(same_bits(attend(call, dropping(0, 9)), attend(call)));
      }
    }
  }
}

TEST(DropoutOption, OfOneGivesZeros) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const Mask& mask : {Mask(), mask::strided(13)}) {
      PlainCall call = random_call(20, 40, 6, 5);
      call.normalizer = normalizer;
      call.mask = mask;
      const Results<float> got = attend(call, dropping(1, 9));
      for (const float x : got.output) EXPECT_EQ(x, 0);
      for (const float x : got.weights) EXPECT_EQ(x, 0);
    }
  }
}

TEST(DropoutOption, DropsAtItsRateAndKeepsTheMean) {
  for (const Index keys : {12, 130}) {
    for (const float p : {0.1f, 0.5f, 0.9f}) {
      const PlainCall call = equal_queries(2000, keys, 3);
      const Results<float> want = attend(call), got = attend(call, dropping(p, 5));
      Index dropped = 0;
      for (std::size_t n = 0; n < got.weights.size(); ++n) {
        if (got.weights[n] == 0) {
          ++dropped;
        } else {
          ASSERT_NEAR(got.weights[n], want.weights[n] / (1 - p), 2e-6);
        }
      }
      const double count = static_cast<double>(got.weights.size());
      EXPECT_NEAR(dropped / count, p, 6 * std::sqrt(p * (1 - p) / count));
      for (Index d = 0; d < call.value_width; ++d) {
        double mean = 0, square = 0;
        for (Index i = 0; i < call.queries; ++i) {
          const double x = got.output[static_cast<std::size_t>(i * call.value_width + d)];
          mean += x / static_cast<double>(call.queries);
          square += x * x / static_cast<double>(call.queries);
        }
        const double deviation = std::sqrt((square - mean * mean) / static_cast<double>(call.queries));
        EXPECT_NEAR(mean, want.output[static_cast<std::size_t>(d)], 5 * deviation) << p;
      }
    }
  }
}

// The weights that are returned are those that multiplied the values, and their sum is not 1.
TEST(DropoutOption, OutputIsOfTheReturnedWeights) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const Mask& mask : {Mask(), mask::causal(2), mask::strided(13)}) {
      for (const Index keys : {9, 130}) {
        PlainCall call = random_call(10, keys, 6, 5);
        call.normalizer = normalizer;
        call.mask = mask;
        if (normalizer == NormalizerKind::relu) call.bias.assign(static_cast<std::size_t>(call.pairs()), 3);
        const Results<float> got = attend(call, dropping(0.4f, 6));
        std::vector<double> want;
        for (Index i = 0; i < call.queries; ++i) {
          for (Index d = 0; d < call.value_width; ++d) {
            double sum = 0;
            for (Index j = 0; j < keys; ++j) {
              sum += static_cast<double>(got.weights[i * keys + j]) * call.value[j * call.value_width + d];
            }
            want.push_back(sum);
          }
        }
        EXPECT_TRUE(agree(got.output, want, {2e-6, 2e-6})) << static_cast<int>(normalizer) << " " << keys;
      }
    }
  }
}

TEST(DropoutOption, IsAFunctionOfItsSeedAndOfThePairAlone) {
  const PlainCall call = random_call(70, 130, 6, 5);
  const Results<float> first = attend(call, dropping(0.5f, 1));
  EXPECT_TRUE(same_bits(first, attend(call, dropping(0.5f, 1))));
  EXPECT_FALSE(same_bits(first, attend(call, dropping(0.5f, 2))));
  // A mask leads through other paths and drops the same pairs.
  PlainCall masked = call;
  masked.mask = mask::strided(17);
  const Results<float> sparse = attend(masked, dropping(0.5f, 1));
  for (std::size_t n = 0; n < first.weights.size(); ++n) {
    const Index i = static_cast<Index>(n) / 130, j = static_cast<Index>(n) % 130;
    if ((i - j) % 17 == 0) {
      ASSERT_EQ(first.weights[n] == 0, sparse.weights[n] == 0) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace qkv::test
