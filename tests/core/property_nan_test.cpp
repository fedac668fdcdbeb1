// What is not finite, and rows that may attend to nothing.
#include <gtest/gtest.h>

#include "reference.hpp"
#include "support/attend.hpp"
#include "support/dense_mask.hpp"

namespace qkv::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();

struct Lengths {
  Index queries, keys;
};

class NotFinite : public testing::TestWithParam<Lengths> {
 protected:
  // A call in which no query may see any key of `hidden`.
  PlainCall call(const MaskCase& given, NormalizerKind normalizer, std::vector<Index>& hidden) const {
    PlainCall made = sized(GetParam().queries, GetParam().keys, 6, 5);
    made.normalizer = normalizer;
    fill(made, 1);
    made.mask = given.mask;
    made.allowed = dense(given.allowed, {made.queries, made.keys, 1, 1});
    for (Index j = 0; j < made.keys; ++j) {
      bool seen = false;
      for (Index i = 0; i < made.queries; ++i) seen |= made.allowed[i * made.keys + j] != 0;
      if (!seen) hidden.push_back(j);
    }
    return made;
  }
};

// Masks that hide some keys from every query: whole tiles, single keys among others, sparse rows.
std::vector<MaskCase> hiding_masks(Index keys) {
  std::vector<std::uint8_t> row;
  for (Index j = 0; j < keys; ++j) row.push_back(j % 3 == 1 ? 0 : 1);
  const Mask thirds = mask::keep({row.data(), {keys}});
  return {{"thirds", thirds, [](Index, Index, Index, Index j) { return j % 3 != 1; }},
          {"length", mask::lengths({keys / 2}), [=](Index, Index, Index, Index j) { return j < keys / 2; }},
          {"sparse", mask::all_of({mask::strided(11), thirds}),
           [](Index, Index, Index i, Index j) { return (i - j) % 11 == 0 && j % 3 != 1; }}};
}

TEST_P(NotFinite, BehindAMaskNeverReachesAResult) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const MaskCase& given : hiding_masks(GetParam().keys)) {
      std::vector<Index> hidden;
      PlainCall made = call(given, normalizer, hidden);
      ASSERT_FALSE(hidden.empty());
      if (normalizer == NormalizerKind::relu) made.bias.assign(static_cast<std::size_t>(made.pairs()), 3);
      const Results<float> want = attend(made);
      EXPECT_TRUE(agree(made, want, reference(made)));
      for (const float bad : {nan_float, infinity, -infinity}) {
        PlainCall poisoned = made;
        for (const Index j : hidden) {
          for (Index d = 0; d < made.key_width; ++d) poisoned.key[j * made.key_width + d] = bad;
          for (Index d = 0; d < made.value_width; ++d) poisoned.value[j * made.value_width + d] = bad;
          if (!made.bias.empty()) {
            for (Index i = 0; i < made.queries; ++i) poisoned.bias[i * made.keys + j] = bad;
          }
        }
        EXPECT_TRUE(same_bits(attend(poisoned), want)) << given.name << " " << bad;
      }
    }
  }
}

// A key that some queries may see and others not: its NaN or infinity reaches the first only. The
// wide window is run by panels that begin in the middle of a tile.
TEST_P(NotFinite, ReachesOnlyTheQueriesThatSeeIt) {
  for (const NormalizerKind normalizer : {NormalizerKind::softmax, NormalizerKind::sigmoid}) {
    for (const MaskCase& given :
         {causal_case(0), causal_case(5), window_case(1, 2), window_case(20, 8),
          strided_case(13, false)}) {
      std::vector<Index> hidden;
      PlainCall made = call(given, normalizer, hidden);
      const std::vector<float> before = attend(made).output;
      for (const auto& [bad, poison] :
           {std::pair(made.keys / 2, nan_float), std::pair(made.keys / 2, infinity),
            std::pair(3 * made.keys / 8, nan_float)}) {
        PlainCall poisoned = made;
        poisoned.value[bad * made.value_width + 2] = poison;
        const std::vector<float> after = attend(poisoned).output;
        for (Index i = 0; i < made.queries; ++i) {
          const bool sees = made.allowed[i * made.keys + bad] != 0;
          for (Index d = 0; d < made.value_width; ++d) {
            const std::size_t n = static_cast<std::size_t>(i * made.value_width + d);
            if (sees && d == 2) {
              EXPECT_FALSE(std::isfinite(after[n])) << given.name << " query " << i;
            } else {
              // One by one, so that not the order of a sum but only the wrong one fails.
              EXPECT_NEAR(after[n], before[n], 1e-6) << given.name << " query " << i;
            }
          }
        }
      }
    }
  }
}

TEST_P(NotFinite, AQueryThatIsNanGivesNanToItsRowOnly) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    PlainCall made = sized(GetParam().queries, GetParam().keys, 6, 5);
    made.normalizer = normalizer;
    fill(made, 2);
    if (normalizer == NormalizerKind::relu) made.bias.assign(static_cast<std::size_t>(made.pairs()), 3);
    const Index bad = made.queries / 2;
    made.query[bad * made.width + 1] = nan_float;
    const Results<float> got = attend(made);
    for (std::size_t n = 0; n < got.output.size(); ++n) {
      const bool mine = static_cast<Index>(n) / made.value_width == bad;
      EXPECT_EQ(std::isnan(got.output[n]), mine) << static_cast<int>(normalizer) << " " << n;
    }
    for (std::size_t n = 0; n < got.weights.size(); ++n) {
      const bool mine = static_cast<Index>(n) / made.keys == bad;
      EXPECT_EQ(std::isnan(got.weights[n]), mine) << static_cast<int>(normalizer) << " " << n;
    }
  }
}

TEST_P(NotFinite, AKeyThatIsNanGivesNanToTheRowsThatSeeIt) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const MaskCase& given : {causal_case(0), strided_case(13, false)}) {
      std::vector<Index> hidden;
      PlainCall made = call(given, normalizer, hidden);
      if (normalizer == NormalizerKind::relu) made.bias.assign(static_cast<std::size_t>(made.pairs()), 3);
      const Index bad = made.keys / 2;
      made.key[bad * made.key_width] = nan_float;
      const std::vector<float> got = attend(made).output;
      for (std::size_t n = 0; n < got.size(); ++n) {
        const Index i = static_cast<Index>(n) / made.value_width;
        EXPECT_EQ(std::isnan(got[n]), made.allowed[i * made.keys + bad] != 0)
            << given.name << " " << static_cast<int>(normalizer) << " query " << i;
      }
    }
  }
}

// A bias of -infinity is a mask of its own: the value behind it is not looked at.
TEST_P(NotFinite, ABiasOfMinusInfinityExcludes) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const Mask& mask : {Mask(), mask::strided(1), mask::strided(11)}) {
      PlainCall made = sized(GetParam().queries, GetParam().keys, 6, 5);
      made.normalizer = normalizer;
      fill(made, 3);
      made.mask = mask;
      made.bias.assign(static_cast<std::size_t>(made.pairs()), 3);
      for (Index i = 0; i < made.queries; ++i) {
        for (Index j = 0; j < made.keys; j += 2) made.bias[i * made.keys + j] = -infinity;
      }
      const Results<float> want = attend(made);
      for (Index j = 0; j < made.keys; j += 2) {
        for (Index d = 0; d < made.value_width; ++d) made.value[j * made.value_width + d] = nan_float;
      }
      const Results<float> got = attend(made);
      EXPECT_TRUE(agree(got.output, want.output)) << static_cast<int>(normalizer);
      EXPECT_TRUE(same_bits(got.weights, want.weights));
      EXPECT_TRUE(same_bits(got.scores, want.scores));
      for (std::size_t n = 0; n < got.scores.size(); ++n) {
        if (n % static_cast<std::size_t>(made.keys) % 2 == 0) {
          EXPECT_EQ(got.scores[n], -infinity);
          EXPECT_EQ(got.weights[n], 0);
        }
      }
    }
  }
}

// A score of -infinity has weight 0, wherever it comes from; behind a mask its value is not looked at.
TEST_P(NotFinite, AScoreThatOverflowsToMinusInfinityHasNoWeight) {
  for (const MaskCase& given : {causal_case(1000), strided_case(13, false)}) {
    std::vector<Index> hidden;
    PlainCall made = call(given, NormalizerKind::softmax, hidden);
    made.score = ScoreKind::dot;
    std::fill(made.query.begin(), made.query.end(), 1e20f);
    std::fill(made.key.begin(), made.key.end(), 1e-20f);
    const Index low = GetParam().keys / 2;
    for (Index d = 0; d < made.key_width; ++d) made.key[low * made.key_width + d] = -1e30f;
    for (Index d = 0; d < made.value_width; ++d) made.value[low * made.value_width + d] = nan_float;
    const Results<float> got = attend(made);
    for (Index i = 0; i < made.queries; ++i) {
      EXPECT_EQ(got.weights[static_cast<std::size_t>(i * made.keys + low)], 0);
      for (Index d = 0; d < made.value_width; ++d) {
        EXPECT_TRUE(std::isfinite(got.output[static_cast<std::size_t>(i * made.value_width + d)]))
            << given.name << " query " << i;
      }
    }
  }
}

TEST_P(NotFinite, EmptyRowsAreExactlyZero) {
  const Index keys = GetParam().keys;
  const MaskCase masks[] = {
      {"nothing", mask::negate(Mask()), [](Index, Index, Index, Index) { return false; }},
      {"every other query",
       mask::all_of({mask::segments(std::vector<Index>(static_cast<std::size_t>(GetParam().queries), 0),
                                    std::vector<Index>(static_cast<std::size_t>(keys), 0)),
                     mask::causal(-1)}),
       [](Index, Index, Index i, Index j) { return j <= i - 1; }},
      causal_case(-keys / 2), strided_case(17, true)};
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const bool poisoned : {false, true}) {
      for (const MaskCase& given : masks) {
        std::vector<Index> hidden;
        PlainCall made = call(given, normalizer, hidden);
        if (poisoned) {
          for (const Index j : hidden) {
            for (Index d = 0; d < made.width; ++d) made.key[j * made.width + d] = nan_float;
            for (Index d = 0; d < made.value_width; ++d) made.value[j * made.value_width + d] = nan_float;
          }
        }
        const Results<float> got = attend(made);
        for (Index i = 0; i < made.queries; ++i) {
          bool empty = true;
          for (Index j = 0; j < keys; ++j) empty &= made.allowed[i * keys + j] == 0;
          if (!empty) continue;
          for (Index d = 0; d < made.value_width; ++d) {
            EXPECT_EQ(got.output[static_cast<std::size_t>(i * made.value_width + d)], 0) << given.name;
          }
          for (Index j = 0; j < keys; ++j) {
            EXPECT_EQ(got.weights[static_cast<std::size_t>(i * keys + j)], 0) << given.name;
            EXPECT_EQ(got.scores[static_cast<std::size_t>(i * keys + j)], -infinity) << given.name;
          }
          if (!got.log_sum_exp.empty()) {
            EXPECT_EQ(got.log_sum_exp[static_cast<std::size_t>(i)], -infinity) << given.name;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, NotFinite,
                         testing::Values(Lengths{1, 12}, Lengths{1, 40}, Lengths{5, 7},
                                         Lengths{20, 16}, Lengths{67, 130}),
                         [](const auto& info) {
                           return std::to_string(info.param.queries) + "x" +
                                  std::to_string(info.param.keys);
                         });

// With nothing but its sink to attend to, a row's weights vanish and its logSumExp is the sink.
TEST(NotFiniteSink, AnEmptyRowWithASink) {
  PlainCall call = random_call(3, 40, 4, 2);
  call.sinks = {1.5f};
  call.mask = mask::negate(Mask());
  const Results<float> got = attend(call);
  EXPECT_TRUE(same_bits(got.output, std::vector<float>(6, 0.0f)));
  EXPECT_TRUE(same_bits(got.weights, std::vector<float>(120, 0.0f)));
  EXPECT_TRUE(agree(got.log_sum_exp, std::vector<double>(3, 1.5)));
}

TEST(NotFiniteSink, OfMinusInfinityIsNoSink) {
  for (const Index keys : {5, 40}) {
    PlainCall call = random_call(3, keys, 4, 2);
    const Results<float> want = attend(call);
    call.sinks = {-infinity};
    EXPECT_TRUE(agree(call, attend(call), want));
    call.mask = mask::negate(Mask());
    EXPECT_TRUE(same_bits(attend(call).output, std::vector<float>(6, 0.0f)));
  }
}

}  // namespace
}  // namespace qkv::test
