// What attention must satisfy whatever its numbers are.
#include <gtest/gtest.h>

#include <numeric>

#include "reference.hpp"
#include "support/attend.hpp"
#include "support/dense_mask.hpp"

namespace qkv::test {
namespace {

struct Lengths {
  Index queries, keys;
};

// A single query of few and of many keys, a few rows, several tiles.
class Property : public testing::TestWithParam<Lengths> {
 protected:
  PlainCall call(std::uint64_t seed, Index width = 6, Index value_width = 5) const {
    PlainCall made = sized(GetParam().queries, GetParam().keys, width, value_width);
    made.heads = made.kv_heads = 2;
    fill(made, seed);
    return made;
  }
};

// Rows of a tensor in another order: rows[i] of the result is rows[order[i]].
std::vector<float> reordered(const std::vector<float>& values, const std::vector<Index>& order,
                             Index width) {
  std::vector<float> result;
  const auto length = static_cast<Index>(order.size());
  const Index entries = length * width > 0 ? static_cast<Index>(values.size()) / (length * width) : 0;
  for (Index entry = 0; entry < entries; ++entry) {
    for (const Index row : order) {
      for (Index d = 0; d < width; ++d) {
        result.push_back(values[static_cast<std::size_t>((entry * length + row) * width + d)]);
      }
    }
  }
  return result;
}

std::vector<Index> shuffled(Index length, std::uint64_t seed) {
  Numbers numbers(seed);
  std::vector<Index> order(static_cast<std::size_t>(length));
  std::iota(order.begin(), order.end(), 0);
  for (Index i = length - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(numbers.below(i + 1))]);
  }
  return order;
}

void expect_rows_sum_to_one(const PlainCall& call, const std::vector<float>& weights) {
  for (Index row = 0; row * call.keys < static_cast<Index>(weights.size()); ++row) {
    double sum = 0;
    bool any = false;
    for (Index j = 0; j < call.keys; ++j) {
      const float weight = weights[static_cast<std::size_t>(row * call.keys + j)];
      EXPECT_GE(weight, 0);
      sum += weight;
      any |= call.allowed.empty() || call.allowed[row * call.keys + j] != 0;
    }
    EXPECT_NEAR(sum, any ? 1 : 0, 2e-6) << row;
  }
}

TEST_P(Property, RowsSumToOne) {
  for (const ScoreKind score : score_kinds) {
    PlainCall made = call(1);
    made.score = score;
    made.hidden = 7;
    fill(made, 2);
    expect_rows_sum_to_one(made, attend(made).weights);
    for (const MaskCase& given : {causal_case(-2), strided_case(9, false), window_case(1, 1)}) {
      made.mask = given.mask;
      made.allowed = dense(given.allowed, {made.queries, made.keys, made.heads, made.batch});
      expect_rows_sum_to_one(made, attend(made).weights);
    }
  }
}

TEST_P(Property, PermutingKeysChangesNothing) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    PlainCall made = call(3);
    made.normalizer = normalizer;
    fill(made, 3);
    if (normalizer == NormalizerKind::relu) made.bias.assign(static_cast<std::size_t>(made.pairs()), 2);
    const std::vector<float> before = attend(made).output;
    const std::vector<Index> order = shuffled(made.keys, 4);
    made.key = reordered(made.key, order, made.key_width);
    made.value = reordered(made.value, order, made.value_width);
    EXPECT_TRUE(agree(attend(made).output, before)) << static_cast<int>(normalizer);
  }
}

// Queries lie in lanes of their own, so that without a mask not even a bit may depend on a neighbour.
TEST_P(Property, PermutingQueriesPermutesRows) {
  PlainCall made = call(5);
  const Results<float> before = attend(made);
  const std::vector<Index> order = shuffled(made.queries, 6);
  made.query = reordered(made.query, order, made.width);
  const Results<float> after = attend(made);
  EXPECT_TRUE(same_bits(after.output, reordered(before.output, order, made.value_width)));
  EXPECT_TRUE(same_bits(after.weights, reordered(before.weights, order, made.keys)));
  EXPECT_TRUE(same_bits(after.log_sum_exp, reordered(before.log_sum_exp, order, 1)));
}

TEST_P(Property, TheFutureDoesNotReachACausalRow) {
  for (const Index offset : {0, 3, -2}) {
    PlainCall made = call(7);
    made.mask = mask::causal(offset);
    const std::vector<float> before = attend(made).output;
    for (const Index changed : {made.keys / 2, made.keys - 1}) {
      PlainCall other = made;
      for (Index h = 0; h < made.heads; ++h) {
        const Index row = h * made.keys + changed;
        for (Index d = 0; d < made.width; ++d) other.key[row * made.width + d] = 1e6f;
        for (Index d = 0; d < made.value_width; ++d) other.value[row * made.value_width + d] = 1e6f;
      }
      const std::vector<float> after = attend(other).output;
      for (std::size_t n = 0; n < after.size(); ++n) {
        const Index i = static_cast<Index>(n) / made.value_width % made.queries;
        if (changed <= i + offset) continue;
        ASSERT_EQ(std::memcmp(&after[n], &before[n], sizeof(float)), 0)
            << "query " << i << " saw key " << changed << " at offset " << offset;
      }
    }
  }
}

// A constant added to all scores of a row leaves its softmax alone and moves logSumExp by as much.
TEST_P(Property, AddingToEveryScoreChangesNothing) {
  PlainCall made = call(8);
  made.bias.assign(static_cast<std::size_t>(made.pairs()), 0);
  const Results<float> before = attend(made);
  for (const float shift : {5.0f, -60.0f, 1000.0f}) {
    made.bias.assign(static_cast<std::size_t>(made.pairs()), shift);
    const Results<float> after = attend(made);
    // Near 1000 the scores themselves are rounded to 6e-5.
    const Tolerance tolerance{shift > 100 ? 2e-4 : 1e-5, shift > 100 ? 1e-4 : 1e-5};
    EXPECT_TRUE(agree(after.output, before.output, tolerance)) << shift;
    for (std::size_t row = 0; row < before.log_sum_exp.size(); ++row) {
      EXPECT_NEAR(after.log_sum_exp[row] - shift, before.log_sum_exp[row], 1e-4);
    }
  }
}

TEST_P(Property, OutputIsLinearInTheValues) {
  PlainCall a = call(9), b = call(10);
  b.query = a.query;
  b.key = a.key;
  PlainCall sum = a;
  for (std::size_t i = 0; i < sum.value.size(); ++i) sum.value[i] = 2 * a.value[i] + b.value[i];
  const std::vector<float> of_a = attend(a).output, of_b = attend(b).output;
  std::vector<double> want;
  for (std::size_t i = 0; i < of_a.size(); ++i) want.push_back(2.0 * of_a[i] + of_b[i]);
  EXPECT_TRUE(agree(attend(sum).output, want, {2e-6, 2e-6}));
}

TEST_P(Property, CosineIgnoresLengthsAndIsBounded) {
  PlainCall made = call(11);
  made.score = ScoreKind::cosine;
  const Results<float> before = attend(made);
  for (const float score : before.scores) EXPECT_LE(std::fabs(score), 1.000001f);
  for (float& x : made.query) x *= 1e-25f;  // squares that a float cannot hold
  for (float& x : made.key) x *= 1e25f;
  EXPECT_TRUE(agree(attend(made).output, before.output));
}

TEST_P(Property, HugeScoresGiveOneKeyAllTheWeight) {
  PlainCall made = call(12);
  made.scale = 1e30f;
  const Results<float> got = attend(made);
  for (const float x : got.output) EXPECT_TRUE(std::isfinite(x));
  for (Index row = 0; row < made.heads * made.queries; ++row) {
    const auto first = got.weights.begin() + row * made.keys;
    EXPECT_EQ(std::count(first, first + made.keys, 1.0f), 1) << row;
    EXPECT_EQ(std::count(first, first + made.keys, 0.0f), made.keys - 1) << row;
  }
}

TEST_P(Property, OneKeyHeadServesEveryQueryHead) {
  PlainCall many = call(13);
  many.heads = 4;
  many.kv_heads = 2;
  fill(many, 14);
  PlainCall repeated = many;
  repeated.kv_heads = 4;
  repeated.key.clear();
  repeated.value.clear();
  for (Index h = 0; h < 4; ++h) {
    const Index keys = many.keys * many.width, values = many.keys * many.value_width;
    const auto key = many.key.begin() + h / 2 * keys, value = many.value.begin() + h / 2 * values;
    repeated.key.insert(repeated.key.end(), key, key + keys);
    repeated.value.insert(repeated.value.end(), value, value + values);
  }
  EXPECT_TRUE(same_bits(attend(many), attend(repeated)));
}

TEST_P(Property, FurtherResultsDoNotChangeTheOutput) {
  PlainCall made = call(15);
  Asked only;
  only.further = false;
  EXPECT_TRUE(same_bits(attend(made).output, attend(made, only).output));
  made.mask = mask::causal(1);
  EXPECT_TRUE(same_bits(attend(made).output, attend(made, only).output));
}

TEST_P(Property, StridesDoNotChangeABit) {
  for (const auto& mask : {Mask(), mask::window(2, 2)}) {
    PlainCall made = call(16);
    made.mask = mask;
    const Results<float> want = attend(made);
    for (const Layout in : layouts) {
      for (const Layout out : layouts) {
        EXPECT_TRUE(same_bits(attend(made, {true, in, out, {}, {}}), want))
            << static_cast<int>(in) << " " << static_cast<int>(out);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, Property,
                         testing::Values(Lengths{1, 12}, Lengths{1, 40}, Lengths{5, 7},
                                         Lengths{20, 16}, Lengths{67, 130}),
                         [](const auto& info) {
                           return std::to_string(info.param.queries) + "x" +
                                  std::to_string(info.param.keys);
                         });

// Leading axes that are 1, or that are not there, are repeated.
TEST(Broadcast, LeadingAxesRepeat) {
  Numbers numbers(17);
  const std::vector<float> query = numbers.list(2 * 3 * 4 * 5), key = numbers.list(3 * 6 * 5);
  const std::vector<float> value = numbers.list(2 * 6 * 2);
  std::vector<float> got(2 * 3 * 4 * 2), want(got.size());
  ASSERT_TRUE(ok(try_attention({query.data(), {2, 3, 4, 5}}, {key.data(), {1, 3, 6, 5}},
                               {value.data(), {2, 1, 6, 2}}, {got.data(), {2, 3, 4, 2}})));
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 3; ++h) {
      ASSERT_TRUE(ok(try_attention({query.data() + (b * 3 + h) * 20, {4, 5}},
                                   {key.data() + h * 30, {6, 5}}, {value.data() + b * 12, {6, 2}},
                                   {want.data() + (b * 3 + h) * 8, {4, 2}})));
    }
  }
  EXPECT_TRUE(same_bits(got, want));
}

TEST(Broadcast, OneQueryHeadMeetsEveryKeyHead) {
  Numbers numbers(18);
  const std::vector<float> query = numbers.list(4 * 5), key = numbers.list(3 * 6 * 5);
  const std::vector<float> value = numbers.list(3 * 6 * 2);
  Shape shape;
  ASSERT_TRUE(ok(attention_shape({query.data(), {4, 5}}, {key.data(), {3, 6, 5}},
                                 {value.data(), {3, 6, 2}}, shape)));
  EXPECT_EQ(shape.to_string(), "[3, 4, 2]");
  std::vector<float> got(3 * 4 * 2), want(got.size());
  ASSERT_TRUE(ok(try_attention({query.data(), {4, 5}}, {key.data(), {3, 6, 5}},
                               {value.data(), {3, 6, 2}}, {got.data(), shape})));
  for (Index h = 0; h < 3; ++h) {
    ASSERT_TRUE(ok(try_attention({query.data(), {4, 5}}, {key.data() + h * 30, {6, 5}},
                                 {value.data() + h * 12, {6, 2}}, {want.data() + h * 8, {4, 2}})));
  }
  EXPECT_TRUE(same_bits(got, want));
}

// Steps of 0: one row of memory seen as many, in inputs and in the bias.
TEST(Broadcast, StridesOfZeroRepeatMemory) {
  Numbers numbers(19);
  const std::vector<float> row = numbers.list(5), value = numbers.list(6 * 2), bias = numbers.list(6);
  std::vector<float> got(4 * 2), want(2);
  AttentionOptions options;
  options.bias = {bias.data(), {4, 6}, {0, 1}};
  ASSERT_TRUE(ok(try_attention({row.data(), {4, 5}, {0, 1}}, {row.data(), {6, 5}, {0, 1}},
                               {value.data(), {6, 2}}, {got.data(), {4, 2}}, options)));
  options.bias = {bias.data(), {1, 6}};
  ASSERT_TRUE(ok(try_attention({row.data(), {1, 5}}, {row.data(), {6, 5}, {0, 1}},
                               {value.data(), {6, 2}}, {want.data(), {1, 2}}, options)));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(agree(std::vector<float>(got.begin() + 2 * i, got.begin() + 2 * i + 2), want)) << i;
  }
}

// More heads of keys and values than fit into the memory kept for prepared ones at once.
TEST(ManyHeads, AreRunInTurns) {
  PlainCall call = sized(2, 9000, 130, 3);
  call.heads = call.kv_heads = 9;
  fill(call, 20);
  Asked only;
  only.further = false;
  const std::vector<float> got = attend(call, only).output;
  for (Index h : {0, 6, 7, 8}) {
    PlainCall one = sized(2, 9000, 130, 3);
    const auto part = [&](const std::vector<float>& all, Index size) {
      return std::vector<float>(all.begin() + h * size, all.begin() + (h + 1) * size);
    };
    one.query = part(call.query, 2 * 130);
    one.key = part(call.key, 9000 * 130);
    one.value = part(call.value, 9000 * 3);
    EXPECT_TRUE(same_bits(part(got, 2 * 3), attend(one, only).output)) << h;
  }
}

}  // namespace
}  // namespace qkv::test
