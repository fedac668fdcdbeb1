// Views that no operation can use, sizes beyond all memory, and numbers out of range, for every
// operation other than attention.
#include <gtest/gtest.h>

#include "qkv/qkv.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

constexpr double nan_double = std::numeric_limits<double>::quiet_NaN();
const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument, memory = ErrorCode::memory;

const float numbers[64] = {};
const Shape rank9{1, 1, 1, 1, 1, 1, 1, 2, 2};

TEST(ErrorTensor, ImpossibleShapes) {
  Tensor tensor;
  ASSERT_TRUE(ok(Tensor::create({2, 2}, tensor)));
  tensor[3] = 5;
  EXPECT_TRUE(refused(Tensor::create(rank9, tensor), shape, {"[1, 1, 1, 1, 1, 1, 1, 2, ...]"}));
  EXPECT_TRUE(refused(Tensor::create({3, -1}, tensor), shape, {"[3, -1]"}));
  EXPECT_TRUE(refused(Tensor::create({Index{1} << 31, Index{1} << 31}, tensor), shape, {"2147483648"}));
  EXPECT_TRUE(refused(Tensor::create({INT64_MAX, 0, INT64_MAX, INT64_MAX, -1}, tensor), shape, {"-1"}));
  EXPECT_TRUE(refused(Tensor::create({Index{1} << 58}, tensor), memory, {"1152921504606846976", "bytes"}));
  // What it held is still there.
  EXPECT_EQ(tensor.shape().to_string(), "[2, 2]");
  EXPECT_EQ(tensor[3], 5);
}

TEST(ErrorTensor, CopiesOfViewsThatCannotBeRead) {
  Tensor tensor;
  EXPECT_TRUE(refused(Tensor::copy({nullptr, {2, 2}}, tensor), argument, {"[2, 2]", "data"}));
  EXPECT_TRUE(refused(Tensor::copy({numbers, {2, 2}, {1}}, tensor), shape, {"1 strides", "[2, 2]"}));
  EXPECT_TRUE(refused(Tensor::copy({numbers, rank9}, tensor), shape, {"rank 9"}));
  EXPECT_TRUE(ok(Tensor::copy({nullptr, {2, 0}}, tensor)));
  EXPECT_EQ(tensor.shape().to_string(), "[2, 0]");
}

TEST(ErrorMaskView, MatricesThatCannotBeRead) {
  Placed result(Shape{1, 1, 2, 2}, Layout::row_major, 9);
  const std::uint8_t cells[4] = {1, 1, 1, 1};
  for (const Mask& bad : {mask::keep({nullptr, {2, 2}}), mask::ignore({nullptr, {2, 2}}),
                          mask::blocks(1, BoolView(nullptr, {2, 2}))}) {
    EXPECT_TRUE(refused(try_mask_matrix(bad, {2, 2}, result.view()), argument, {"[2, 2]", "data"}));
  }
  for (const Mask& bad : {mask::keep({cells, {2, 2}, {1}}), mask::ignore({cells, {2, 2}, {}}),
                          mask::blocks(1, BoolView(cells, {2, 2}, {1, 1, 1}))}) {
    EXPECT_TRUE(refused(try_mask_matrix(bad, {2, 2}, result.view()), shape, {"strides", "[2, 2]"}));
  }
  for (const Mask& bad : {mask::keep({cells, rank9}), mask::ignore({cells, {}}),
                          mask::blocks(1, BoolView(cells, rank9)), mask::keep({cells, {-2, 2}}),
                          mask::blocks(1, BoolView(cells, {-2, 2}))}) {
    EXPECT_EQ(try_mask_matrix(bad, {2, 2}, result.view()).code(), shape);
  }
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(try_mask_matrix(mask::keep({cells, {2, 2}}), {2, 2}, result.view())));
  EXPECT_TRUE(same_bits(result.values(), {1, 1, 1, 1}));
}

TEST(ErrorMaskView, ResultsAndSizes) {
  Placed result(Shape{1, 1, 2, 3}, Layout::row_major, 9);
  EXPECT_TRUE(refused(try_mask_matrix(Mask(), {3, 2}, result.view()), shape, {"[1, 1, 3, 2]", "[1, 1, 2, 3]"}));
  EXPECT_TRUE(refused(try_mask_matrix(Mask(), {-1, 2}, result.view()), shape, {"-1"}));
  EXPECT_TRUE(refused(try_mask_matrix(Mask(), {2, 3}, {nullptr, {1, 1, 2, 3}}), argument, {"data"}));
  EXPECT_TRUE(refused(try_mask_matrix(Mask(), {2, 3}, {result.view().data, {1, 1, 2, 3}, {3, 1}}), shape,
                      {"strides"}));
  EXPECT_TRUE(result.untouched());
  MaskStats stats;
  stats.pairs = 77;
  const Index huge = Index{1} << 40;
  EXPECT_TRUE(refused(try_mask_stats(Mask(), {huge, huge}, stats), shape, {"1099511627776"}));
  EXPECT_TRUE(refused(try_mask_stats(Mask(), {2, 2, -3, 1}, stats), shape, {"-3"}));
  EXPECT_EQ(stats.pairs, 77);
}

TEST(ErrorPosition, WhatDoesNotFit) {
  using namespace position;
  Placed two(Shape{2, 4}, Layout::row_major, 9), three(Shape{2, 3, 4}, Layout::row_major, 9);
  const TensorView result = two.view();
  const std::vector<double> places = {1, 2, 3};

  EXPECT_TRUE(refused(try_sinusoidal({.length = 3, .dim = 4}, result), shape, {"[3, 4]", "[2, 4]"}));
  EXPECT_TRUE(refused(try_sinusoidal({.length = 2, .dim = 4, .base = 0}, result), argument, {"base", "0"}));
  EXPECT_TRUE(refused(try_sinusoidal({.length = 2, .dim = 4, .base = nan_double}, result), argument,
                      {"base", "NaN"}));
  EXPECT_TRUE(refused(try_sinusoidal({.length = -2, .dim = 4}, {result.data, {-2, 4}}), shape, {"-2"}));
  EXPECT_TRUE(refused(try_sinusoidal({.length = 2, .dim = 4}, {nullptr, {2, 4}}), argument, {"data"}));
  EXPECT_TRUE(refused(try_learned(1, {result.data, {8}}), shape, {"rank 1"}));
  EXPECT_TRUE(refused(try_learned(1, {nullptr, {2, 4}}), argument, {"data"}));

  const ConstTensorView x(numbers, {2, 4});
  EXPECT_TRUE(refused(try_rotary(x, {.positions = places}, result), shape, {"3 positions", "2"}));
  EXPECT_TRUE(refused(try_rotary(x, {.dims = 3}, result), argument, {"dims", "3"}));
  EXPECT_TRUE(refused(try_rotary(x, {.dims = 6}, result), argument, {"dims", "6", "4"}));
  EXPECT_TRUE(refused(try_rotary(x, {.dims = -2}, result), argument, {"dims", "-2"}));
  EXPECT_TRUE(refused(try_rotary(x, {.base = -1}, result), argument, {"base", "-1"}));
  EXPECT_TRUE(refused(try_rotary({numbers, {2, 3}}, {}, {result.data, {2, 3}}), argument, {"3"}));
  EXPECT_TRUE(refused(try_rotary({numbers, {4}}, {}, {result.data, {4}}), shape, {"rank 1"}));
  EXPECT_TRUE(refused(try_rotary({nullptr, {2, 4}}, {}, result), argument, {"x", "data"}));
  EXPECT_TRUE(refused(try_rotary(x, {}, three.view()), shape, {"[2, 4]", "[2, 3, 4]"}));
  EXPECT_TRUE(refused(try_rotary({numbers, rank9}, {}, result), shape, {"rank 9"}));

  EXPECT_TRUE(refused(try_rotation(1, 3, 10000, {result.data, {3, 3}}), argument, {"dim", "3"}));
  EXPECT_TRUE(refused(try_rotation(nan_double, 2, 10000, {result.data, {2, 2}}), argument, {"delta", "NaN"}));
  EXPECT_TRUE(refused(try_rotation(1, 2, -5, {result.data, {2, 2}}), argument, {"base", "-5"}));
  EXPECT_TRUE(refused(try_rotation(1, 4, 10000, result), shape, {"[4, 4]", "[2, 4]"}));
  EXPECT_TRUE(refused(try_rotation(1, -2, 10000, {result.data, {-2, -2}}), shape, {"-2"}));

  double slopes[1];
  EXPECT_TRUE(refused(try_alibi_slopes(0, slopes), argument, {"heads", "0"}));
  EXPECT_TRUE(refused(try_alibi_slopes(-4, slopes), argument, {"heads", "-4"}));
  EXPECT_TRUE(refused(try_alibi(result), shape, {"rank 2"}));
  EXPECT_TRUE(refused(try_alibi({nullptr, {1, 2, 3}}), argument, {"data"}));

  const ConstTensorView table(numbers, {32, 2});
  EXPECT_TRUE(refused(try_relative_bias(table, {.buckets = 16}, three.view()), shape, {"16", "[32, 2]"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {.buckets = 31}, three.view()), argument, {"buckets", "31"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {.buckets = 0}, three.view()), argument, {"buckets", "0"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {.bidirectional = false, .buckets = 1}, three.view()),
                      argument, {"buckets", "1"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {.max_distance = 8}, three.view()), argument,
                      {"maxDistance", "8"}));
  EXPECT_TRUE(refused(try_relative_bias({numbers, {32, 1, 2}}, {}, three.view()), shape, {"table"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {}, {three.view().data, {3, 3, 4}}), shape,
                      {"[2, 3, 4]", "[3, 3, 4]"}));
  EXPECT_TRUE(refused(try_relative_bias(table, {}, result), shape, {"rank 2"}));
  EXPECT_TRUE(refused(try_binary({result.data, {2, 2, 2}}), shape, {"[2, 2, 2]"}));
  EXPECT_TRUE(refused(try_binary({nullptr, {2, 2}}), argument, {"data"}));

  EXPECT_TRUE(two.untouched() && three.untouched());
  EXPECT_TRUE(ok(try_sinusoidal({.length = 2, .dim = 4}, result)));
  EXPECT_EQ(result.data[1], 1);
}

// Sizes that multiply to more than an index holds must not wrap around to something possible.
TEST(ErrorLayer, Configurations) {
  MultiHeadAttention layer;
  const auto create = [&](Index embed, Index heads, Index kv_heads, Index head_dim, Index k_dim = 0,
                          float dropout = 0) {
    MultiHeadConfig config;
    config.embed_dim = embed;
    config.num_heads = heads;
    config.num_kv_heads = kv_heads;
    config.head_dim = head_dim;
    config.k_dim = k_dim;
    config.dropout = dropout;
    return MultiHeadAttention::create(config, layer);
  };
  EXPECT_TRUE(refused(create(10, 3, 0, 0), argument, {"10", "3"}));
  EXPECT_TRUE(refused(create(2, 8, 0, 0), argument, {"2", "8"}));
  EXPECT_TRUE(refused(create(0, 2, 0, 0), argument, {"embedDim", "0"}));
  EXPECT_TRUE(refused(create(4, 0, 0, 0), argument, {"numHeads", "0"}));
  EXPECT_TRUE(refused(create(8, 4, 3, 0), argument, {"4", "3"}));
  EXPECT_TRUE(refused(create(8, 4, -1, 0), argument, {"-1"}));
  EXPECT_TRUE(refused(create(8, 4, 0, -2), argument, {"-2"}));
  EXPECT_TRUE(refused(create(8, 4, 0, 0, -3), argument, {"-3"}));
  EXPECT_TRUE(refused(create(8, 4, 0, 0, 0, 1.5f), argument, {"dropout", "1.5"}));
  EXPECT_TRUE(refused(create(8, 4, 0, 0, 0, -HUGE_VALF), argument, {"dropout", "-Infinity"}));
  for (const Index large : {Index{1} << 31, Index{1} << 32, Index{1} << 40}) {
    const Status status = create(4, large, 0, large);
    EXPECT_FALSE(status.ok()) << large;
    EXPECT_NE(status.message().find(std::to_string(large)), std::string::npos) << status.message();
  }
  EXPECT_FALSE(create(Index{1} << 40, 1, 0, 0).ok());
  // A layer that was never made has no parameters and says so.
  Placed result(Shape{1, 4}, Layout::row_major, 9);
  EXPECT_TRUE(refused(layer.try_forward({numbers, {1, 4}}, {numbers, {1, 4}}, {numbers, {1, 4}},
                                        result.view()),
                      argument, {"missing"}));
  EXPECT_TRUE(ok(create(4, 2, 0, 0)));
  EXPECT_FALSE(create(10, 3, 0, 0).ok());
  EXPECT_EQ(layer.config().embed_dim, 4) << "a failed create took the layer away";
}

TEST(ErrorLayer, Inputs) {
  MultiHeadConfig config;
  config.embed_dim = 4;
  config.num_heads = 2;
  config.k_dim = 3;
  config.v_dim = 5;
  MultiHeadAttention layer;
  ASSERT_TRUE(ok(MultiHeadAttention::create(config, layer)));
  Placed result(Shape{2, 3, 4}, Layout::row_major, 9);
  const ConstTensorView query(numbers, {2, 3, 4}), key(numbers, {2, 6, 3}), value(numbers, {2, 6, 5});
  const auto forward = [&](const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                           const LayerOptions& options = {}) {
    return layer.try_forward(q, k, v, result.view(), options);
  };
  EXPECT_TRUE(refused(forward({numbers, {2, 3, 3}}, key, value), shape, {"query", "4", "3"}));
  EXPECT_TRUE(refused(forward(query, {numbers, {2, 6, 4}}, value), shape, {"key", "3", "4"}));
  EXPECT_TRUE(refused(forward(query, key, {numbers, {2, 6, 4}}), shape, {"value", "5", "4"}));
  EXPECT_TRUE(refused(forward(query, key, {numbers, {2, 5, 5}}), shape, {"6", "5"}));
  EXPECT_TRUE(refused(forward(query, {numbers, {3, 6, 3}}, value), shape, {"key", "[3, 6, 3]", "[2, 3, 4]"}));
  EXPECT_TRUE(refused(forward({numbers, {4}}, key, value), shape, {"query", "rank 1"}));
  EXPECT_TRUE(refused(forward({nullptr, {2, 3, 4}}, key, value), argument, {"query", "data"}));
  const Shape rank8{1, 1, 1, 1, 1, 2, 3, 4};
  EXPECT_TRUE(refused(forward({numbers, rank8}, key, value), shape, {"query", "7"}));
  LayerOptions options;
  options.sinks = {numbers, {3}};
  EXPECT_TRUE(refused(forward(query, key, value, options), shape, {"sinks", "[2]", "[3]"}));
  options = {};
  options.mask = mask::per_head({Mask()});
  EXPECT_TRUE(refused(forward(query, key, value, options), shape, {"perHead", "1", "2"}));
  EXPECT_TRUE(refused(layer.try_forward(query, key, value, {result.view().data, {2, 3, 5}}), shape,
                      {"result", "[2, 3, 4]"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(forward(query, key, value)));
}

TEST(ErrorLayer, PositionalEncoding) {
  PositionalEncoding layer;
  EXPECT_TRUE(refused(PositionalEncoding::create({.dim = 0}, layer), argument, {"dim", "0"}));
  EXPECT_TRUE(refused(PositionalEncoding::create({.dim = 4, .max_length = 0}, layer), argument, {"maxLength", "0"}));
  EXPECT_TRUE(refused(PositionalEncoding::create({.dim = 4, .dropout = 2}, layer), argument, {"dropout", "2"}));
  EXPECT_FALSE(PositionalEncoding::create({.dim = Index{1} << 40, .max_length = Index{1} << 40}, layer).ok());
  ASSERT_TRUE(ok(PositionalEncoding::create({.dim = 4, .max_length = 3}, layer)));
  Placed result(Shape{3, 4}, Layout::row_major, 9);
  EXPECT_TRUE(refused(layer.try_forward({numbers, {4, 4}}, {result.view().data, {4, 4}}), shape, {"4", "3"}));
  EXPECT_TRUE(refused(layer.try_forward({numbers, {3, 5}}, {result.view().data, {3, 5}}), shape, {"4", "5"}));
  EXPECT_TRUE(refused(layer.try_forward({numbers, {3, 4}}, {result.view().data, {4, 3}}), shape, {"[4, 3]"}));
  EXPECT_TRUE(refused(layer.try_forward({nullptr, {3, 4}}, result.view()), argument, {"data"}));
  EXPECT_TRUE(result.untouched());
}

}  // namespace
}  // namespace qkv::test
