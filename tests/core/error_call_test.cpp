// Attention refuses what does not fit: the code, the words of the sentence, no byte of a result
// written, and the next call works.
#include <gtest/gtest.h>

#include <functional>

#include "qkv/attention.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();
constexpr Index huge = Index{1} << 40;

// A valid call: two heads, three queries, five keys.
struct Arguments {
  Placed query_memory{Shape{2, 3, 4}, std::vector<float>(24, 0.5f)};
  Placed key_memory{Shape{2, 5, 4}, std::vector<float>(40, 0.5f)};
  Placed value_memory{Shape{2, 5, 6}, std::vector<float>(60, 2.0f)};
  Placed output{Shape{2, 3, 6}, Layout::row_major, 9};
  Placed weights{Shape{2, 3, 5}, Layout::row_major, 9};
  Placed scores{Shape{2, 3, 5}, Layout::row_major, 9};
  Placed log_sum_exp{Shape{2, 3}, Layout::row_major, 9};
  std::vector<float> more = std::vector<float>(64, 0.25f);  // for whatever a case adds

  ConstTensorView query = query_memory.view();
  ConstTensorView key = key_memory.view();
  ConstTensorView value = value_memory.view();
  TensorView result = output.view();
  AttentionOptions options;

  Arguments() {
    options.returns.weights = weights.view();
    options.returns.scores = scores.view();
    options.returns.log_sum_exp = log_sum_exp.view();
  }
  ConstTensorView view(const Shape& shape) const { return {more.data(), shape}; }
  Status run() { return try_attention(query, key, value, result, options); }
  bool untouched() const {
    return output.untouched() && weights.untouched() && scores.untouched() && log_sum_exp.untouched();
  }
};

struct BadCall {
  const char* name;
  ErrorCode code;
  std::vector<std::string> words;
  std::function<void(Arguments&)> spoil;
};

const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;

const BadCall bad_calls[] = {
    // Ranks, lengths, widths, heads.
    {"QueryRank1", shape, {"query", "rank 1", "[4]"}, [](auto& a) { a.query.shape = a.query.strides = {4}; }},
    {"KeyRank0", shape, {"key", "rank 0"}, [](auto& a) { a.key = ConstTensorView(a.more.data(), Shape{}); }},
    {"ValueRank9", shape, {"value", "rank 9", "8"},
     [](auto& a) { a.value = a.view({1, 1, 1, 1, 1, 1, 2, 5, 6}); }},
    {"NegativeLength", shape, {"key", "[2, -5, 4]"}, [](auto& a) { a.key = a.view({2, -5, 4}); }},
    {"ValueLongerThanKey", shape, {"key", "value", "5", "7", "[2, 7, 6]"},
     [](auto& a) { a.value = a.view({2, 7, 6}); }},
    {"Widths", shape, {"query", "key", "4", "3", "[2, 5, 3]"}, [](auto& a) { a.key = a.view({2, 5, 3}); }},
    {"HeadsDoNotDivide", shape, {"heads", "2", "3"},
     [](auto& a) {
       a.key = a.view({3, 5, 4});
       a.value = a.view({3, 5, 6});
     }},
    {"FewerQueryHeads", shape, {"heads", "2", "4"},
     [](auto& a) {
       a.key = a.view({4, 5, 4});
       a.value = a.view({4, 5, 6});
     }},
    {"KeyAndValueHeads", shape, {"2", "3", "heads"}, [](auto& a) { a.value = a.view({3, 5, 6}); }},
    {"Batches", shape, {"[2, 2, 3, 4]", "[3, 2, 5, 4]"},
     [](auto& a) {
       a.query = a.view({2, 2, 3, 4});
       a.key = a.view({3, 2, 5, 4});
     }},
    {"ResultShape", shape, {"result", "[2, 3, 6]", "[2, 6, 3]"},
     [](auto& a) { a.result.shape = {2, 6, 3}; }},
    {"ResultRank", shape, {"result", "[2, 3, 6]"}, [](auto& a) { a.result = {a.result.data, {3, 6}}; }},

    // Views that cannot be.
    {"NullQuery", argument, {"query", "[2, 3, 4]", "data"}, [](auto& a) { a.query.data = nullptr; }},
    {"NullKey", argument, {"key", "data"}, [](auto& a) { a.key.data = nullptr; }},
    {"NullValue", argument, {"value", "data"}, [](auto& a) { a.value.data = nullptr; }},
    {"NullResult", argument, {"result", "data"}, [](auto& a) { a.result.data = nullptr; }},
    {"StrideRank", shape, {"key", "2 strides", "[2, 5, 4]"}, [](auto& a) { a.key.strides = {4, 1}; }},
    {"NoStrides", shape, {"result", "0 strides"}, [](auto& a) { a.result.strides = Strides(); }},

    // Sizes whose product no memory holds.
    {"QueryOverflows", shape, {"query", "1099511627776"},
     [](auto& a) { a.query = a.view({huge, huge, 4}); }},
    {"ScoresOverflow", shape, {"large", "1099511627776"},
     [](auto& a) {
       a.query = a.view({2, huge, 0});
       a.key = a.view({2, huge, 0});
       a.value = a.view({2, huge, 0});
     }},
    {"ResultOverflows", shape, {"large", "1099511627776"},
     [](auto& a) {
       a.query = a.view({2, huge, 0});
       a.key = a.view({2, 0, 0});
       a.value = a.view({2, 0, huge});
     }},

    // Numbers.
    {"NanScale", argument, {"scale", "NaN"}, [](auto& a) { a.options.scale = nan_float; }},
    {"InfiniteScale", argument, {"scale", "-Infinity"}, [](auto& a) { a.options.scale = -HUGE_VALF; }},
    {"NegativeSoftcap", argument, {"softcap", "-2.5"}, [](auto& a) { a.options.softcap = -2.5f; }},
    {"NanSoftcap", argument, {"softcap", "NaN"}, [](auto& a) { a.options.softcap = nan_float; }},
    {"InfiniteSoftcap", argument, {"softcap", "Infinity"}, [](auto& a) { a.options.softcap = HUGE_VALF; }},
    {"DropoutAbove1", argument, {"dropout", "1.5"}, [](auto& a) { a.options.dropout = Dropout{1.5f, 1}; }},
    {"DropoutBelow0", argument, {"dropout", "-0.1"}, [](auto& a) { a.options.dropout = Dropout{-0.1f, 1}; }},
    {"DropoutNan", argument, {"dropout", "NaN"}, [](auto& a) { a.options.dropout = Dropout{nan_float, 1}; }},

    // Bias, sinks and further results.
    {"BiasWidth", shape, {"bias", "[3, 4]", "[2, 3, 5]"}, [](auto& a) { a.options.bias = a.view({3, 4}); }},
    {"BiasRank", shape, {"bias", "[1, 2, 3, 5]"}, [](auto& a) { a.options.bias = a.view({1, 2, 3, 5}); }},
    {"SinkCount", shape, {"sinks", "[2]", "[3]"}, [](auto& a) { a.options.sinks = a.view({3}); }},
    {"SinksOfRelu", argument, {"sinks", "softmax"},
     [](auto& a) {
       a.options.normalizer = normalizer::Relu{};
       a.options.returns.log_sum_exp = {};
       a.options.sinks = a.view({2});
     }},
    {"WeightsShape", shape, {"weights", "[2, 3, 5]", "[2, 5, 3]"},
     [](auto& a) { a.options.returns.weights.shape = {2, 5, 3}; }},
    {"ScoresShape", shape, {"scores", "[2, 3, 5]", "[3, 5]"},
     [](auto& a) { a.options.returns.scores = {a.options.returns.scores.data, {3, 5}}; }},
    {"LogSumExpShape", shape, {"logSumExp", "[2, 3]", "[2, 3, 1]"},
     [](auto& a) { a.options.returns.log_sum_exp = {a.options.returns.log_sum_exp.data, {2, 3, 1}}; }},
    {"LogSumExpOfSigmoid", argument, {"logSumExp", "softmax"},
     [](auto& a) { a.options.normalizer = normalizer::Sigmoid{}; }},

    // Weights of the scores.
    {"AdditiveVector", shape, {"additive.vector", "[1, 7]"},
     [](auto& a) {
       a.options.score = score::Additive{a.view({7, 4}), a.view({7, 4}), a.view({1, 7})};
     }},
    {"AdditiveQueryWeight", shape, {"additive.queryWeight", "[7, 4]", "[4, 7]"},
     [](auto& a) {
       a.options.score = score::Additive{a.view({4, 7}), a.view({7, 4}), a.view({7})};
     }},
    {"AdditiveKeyWeight", shape, {"additive.keyWeight", "[7, 4]", "[7, 5]"},
     [](auto& a) {
       a.options.score = score::Additive{a.view({7, 4}), a.view({7, 5}), a.view({7})};
     }},
    {"AdditiveNothing", argument, {"additive.vector"},
     [](auto& a) {
       a.options.score = score::Additive{a.view({7, 4}), a.view({7, 4}), {nullptr, {7}}};
     }},
    {"BilinearWeight", shape, {"bilinear.weight", "[4, 4]", "[4, 3]"},
     [](auto& a) { a.options.score = score::Bilinear{a.view({4, 3})}; }},

    // Masks, checked when they meet the call's sizes.
    {"WindowBelow0", argument, {"window", "-1"}, [](auto& a) { a.options.mask = mask::window(-1, 2); }},
    {"Stride0", argument, {"strided", "0"}, [](auto& a) { a.options.mask = mask::strided(0); }},
    {"RadiusBelow0", argument, {"dilated", "-1"}, [](auto& a) { a.options.mask = mask::dilated(-1, 2); }},
    {"Dilation0", argument, {"dilated", "0"}, [](auto& a) { a.options.mask = mask::dilated(1, 0); }},
    {"EnormousWrongDilation", argument, {"dilated", "-9223372036854775807"},
     [](auto& a) { a.options.mask = mask::dilated(INT64_MAX, -INT64_MAX); }},
    {"BlockLocal0", argument, {"blockLocal", "0"}, [](auto& a) { a.options.mask = mask::block_local(0); }},
    {"GlobalToken", argument, {"global", "5"}, [](auto& a) { a.options.mask = mask::global({1, 5}); }},
    {"GlobalTokenBelow0", argument, {"global", "-1"}, [](auto& a) { a.options.mask = mask::global({-1}); }},
    {"RandomCount", argument, {"random", "6", "5"}, [](auto& a) { a.options.mask = mask::random(6, 1); }},
    {"RandomBelow0", argument, {"random", "-1"}, [](auto& a) { a.options.mask = mask::random(-1, 1); }},
    {"BlockSize", argument, {"blocks", "-4"},
     [](auto& a) { a.options.mask = mask::blocks(-4, std::vector<std::pair<Index, Index>>{}); }},
    {"BlockPair", argument, {"blocks", "[1, 3]", "2 x 3"},
     [](auto& a) { a.options.mask = mask::blocks(2, {{1, 3}}); }},
    {"EdgeOffsets", shape, {"edges", "3", "4"},
     [](auto& a) { a.options.mask = mask::edges({0, 1, 2}, {0, 0}); }},
    {"EdgeOrder", argument, {"edges", "1", "2"},
     [](auto& a) { a.options.mask = mask::edges({0, 2, 1, 2}, {0, 0}); }},
    {"EdgeEnd", argument, {"edges", "1", "2"},
     [](auto& a) { a.options.mask = mask::edges({0, 1, 1, 1}, {0, 0}); }},
    {"EdgeColumn", argument, {"edges", "5"},
     [](auto& a) { a.options.mask = mask::edges({0, 1, 1, 1}, {5}); }},
    {"LengthCount", shape, {"lengths", "2", "1"}, [](auto& a) { a.options.mask = mask::lengths({1, 2}); }},
    {"LengthsOfNothing", argument, {"lengths", "neither"}, [](auto& a) { a.options.mask = mask::lengths({}); }},
    {"LengthTooLong", argument, {"lengths", "key", "6", "5"},
     [](auto& a) { a.options.mask = mask::lengths({6}); }},
    {"QueryLengthTooLong", argument, {"lengths", "query", "4", "3"},
     [](auto& a) { a.options.mask = mask::lengths({5}, {4}); }},
    {"LengthBelow0", argument, {"lengths", "-1"}, [](auto& a) { a.options.mask = mask::lengths({-1}); }},
    {"SegmentLengths", shape, {"segments", "4", "5", "3"},
     [](auto& a) { a.options.mask = mask::segments({0, 0, 0, 0}, {0, 0, 0, 0, 0}); }},
    {"SegmentBatch", shape, {"segments", "2", "1"},
     [](auto& a) {
       a.options.mask = mask::segments(std::vector<Index>(6), std::vector<Index>(10), 2);
     }},
    {"SegmentRows", shape, {"segments", "3", "5", "2"},
     [](auto& a) { a.options.mask = mask::segments(std::vector<Index>(3), std::vector<Index>(5), 2); }},
    {"AndOfNothing", argument, {"and"}, [](auto& a) { a.options.mask = mask::all_of({}); }},
    {"OrOfNothing", argument, {"or"}, [](auto& a) { a.options.mask = mask::any_of({}); }},
    {"PerHeadCount", shape, {"perHead", "3", "2"},
     [](auto& a) { a.options.mask = mask::per_head({Mask(), Mask(), Mask()}); }},
    {"DeepInside", argument, {"strided", "-7"},
     [](auto& a) {
       a.options.mask = mask::negate(mask::any_of({mask::causal(), mask::all_of({mask::strided(-7)})}));
     }},
};

class ErrorCall : public testing::TestWithParam<BadCall> {};

TEST_P(ErrorCall, IsRefused) {
  const BadCall& bad = GetParam();
  {
    Arguments arguments;
    bad.spoil(arguments);
    EXPECT_TRUE(refused(arguments.run(), bad.code, bad.words));
    EXPECT_TRUE(arguments.untouched());
  }
  Arguments valid;
  EXPECT_TRUE(ok(valid.run()));
  EXPECT_TRUE(agree(valid.output.values(), std::vector<float>(36, 2.0f)));
}

INSTANTIATE_TEST_SUITE_P(Calls, ErrorCall, testing::ValuesIn(bad_calls),
                         [](const auto& info) { return std::string(info.param.name); });

// Every mask of a wrong size, as a matrix of either polarity.
TEST(ErrorMask, MatrixThatDoesNotBroadcast) {
  const std::vector<std::uint8_t> cells(64, 1);
  for (const Shape& wrong : {Shape{3, 4}, Shape{2, 5}, Shape{3, 3, 5}, Shape{1, 2, 3, 5}, Shape{0, 5}}) {
    for (const bool keep : {true, false}) {
      Arguments arguments;
      const BoolView view(cells.data(), wrong);
      arguments.options.mask = keep ? mask::keep(view) : mask::ignore(view);
      EXPECT_TRUE(refused(arguments.run(), shape,
                          {keep ? "keep" : "ignore", wrong.to_string(), "3, 5]"}));
      EXPECT_TRUE(arguments.untouched());
    }
  }
  Arguments arguments;
  arguments.options.mask = mask::blocks(2, BoolView(cells.data(), {3, 3}));
  EXPECT_TRUE(refused(arguments.run(), shape, {"blocks", "[3, 3]", "[2, 3]"}));
}

TEST(ErrorShape, IsAskedForWithTheSameSentence) {
  Arguments arguments;
  Shape made;
  EXPECT_TRUE(ok(attention_shape(arguments.query, arguments.key, arguments.value, made)));
  EXPECT_EQ(made.to_string(), "[2, 3, 6]");
  arguments.value = arguments.view({2, 7, 6});
  const Status status = attention_shape(arguments.query, arguments.key, arguments.value, made);
  EXPECT_EQ(status.message(), arguments.run().message());
  EXPECT_EQ(made.to_string(), "[2, 3, 6]");
}

}  // namespace
}  // namespace qkv::test
