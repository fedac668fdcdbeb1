// The reference itself, held to numbers worked out by hand or published: a mistake in it would
// otherwise look like one of the library.
#include <gtest/gtest.h>

#include "reference.hpp"
#include "support/agree.hpp"

namespace qkv::test {
namespace {

TEST(Reference, WorkedExample) {
  // Queries, keys and values of three tokens, scores not divided: the published output.
  PlainCall call = sized(3, 3, 3, 3);
  call.score = ScoreKind::dot;
  call.query = {1, 0, 2, 2, 2, 2, 2, 1, 3};
  call.key = {0, 1, 1, 4, 4, 0, 2, 3, 1};
  call.value = {1, 2, 3, 2, 8, 0, 2, 6, 3};
  const std::vector<double> want = {1.936621, 6.683105, 1.595068, 1.999994, 7.963992,
                                    0.053976, 1.999705, 7.759892, 0.358389};
  EXPECT_TRUE(agree(reference(call).output, want, {0, 5e-7}));
}

TEST(Reference, MaskSoftcapAndSinkByHand) {
  PlainCall call = sized(1, 3, 1, 1);
  call.query = {1};
  call.key = {1, 2, 3};
  call.value = {1, 10, 1000};
  call.softcap = 0.5f;
  call.allowed = {1, 1, 0};
  call.sinks = {0};
  const double a = std::exp(0.5 * std::tanh(2.0)), b = std::exp(0.5 * std::tanh(4.0));
  const Results<double> got = reference(call);
  EXPECT_NEAR(got.output[0], (a + 10 * b) / (a + b + 1), 1e-14);
  EXPECT_NEAR(got.log_sum_exp[0], std::log(a + b + 1), 1e-14);
  EXPECT_EQ(got.weights[2], 0);
  EXPECT_EQ(got.scores[2], -HUGE_VAL);
}

TEST(Reference, OtherNormalizersByHand) {
  PlainCall call = sized(1, 3, 1, 1);
  call.query = {1};
  call.key = {-1, 1, 3};
  call.value = {1, 2, 4};
  call.normalizer = NormalizerKind::relu;
  EXPECT_DOUBLE_EQ(reference(call).output[0], 0.25 * 2 + 0.75 * 4);
  call.normalizer = NormalizerKind::hard;
  EXPECT_DOUBLE_EQ(reference(call).output[0], 4);
  call.normalizer = NormalizerKind::sigmoid;
  const double s = 1 / (1 + std::exp(-1.0)), t = 1 / (1 + std::exp(-3.0));
  EXPECT_DOUBLE_EQ(reference(call).output[0], (1 - s) * 1 + s * 2 + t * 4);
}

TEST(Reference, GroupedHeadsAreConsecutive) {
  PlainCall call = sized(1, 1, 1, 1);
  call.heads = 4;
  call.kv_heads = 2;
  call.query = {0, 0, 0, 0};
  call.key = {0, 0};
  call.value = {1, 2};
  EXPECT_TRUE(agree(reference(call).output, std::vector<double>{1, 1, 2, 2}, {0, 0}));
}

TEST(Reference, EmptyRows) {
  PlainCall call = sized(2, 2, 1, 1);
  call.query = {0, 0};
  call.key = {0, 0};
  call.value = {3, 4};
  call.allowed = {1, 0, 0, 0};
  const Results<double> got = reference(call);
  EXPECT_TRUE(agree(got.output, std::vector<double>{3, 0}, {0, 0}));
  EXPECT_TRUE(agree(got.weights, std::vector<double>{1, 0, 0, 0}, {0, 0}));
  EXPECT_EQ(got.log_sum_exp[1], -HUGE_VAL);
}

}  // namespace
}  // namespace qkv::test
