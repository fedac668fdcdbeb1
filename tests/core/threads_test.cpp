// The number of threads changes no bit of a result.
#include <gtest/gtest.h>

#include "qkv/layers.hpp"
#include "qkv/position.hpp"
#include "support/attend.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

// The last twice: what a pool of the same size does again.
const std::vector<int> counts = {1, 2, 3, 5, 5};

PlainCall threaded_call() {
  PlainCall call = sized(150, 100, 12, 9);
  call.batch = 2;
  call.heads = 2;
  call.kv_heads = 1;
  call.hidden = 10;
  fill(call, 1);
  return call;
}

TEST(Threads, EveryNormalizerAndScore) {
  for (const NormalizerKind normalizer : normalizer_kinds) {
    for (const ScoreKind score : score_kinds) {
      PlainCall call = threaded_call();
      call.score = score;
      call.normalizer = normalizer;
      fill(call, 2);
      expect_same_on_any_threads([&] { return attend(call); }, counts);
    }
  }
}

TEST(Threads, Masks) {
  for (const Mask& mask : {mask::causal(), mask::strided(23), mask::random(7, 3),
                           mask::all_of({mask::window(30, 30), mask::lengths({100, 77})})}) {
    PlainCall call = threaded_call();
    call.mask = mask;
    call.bias = Numbers(3).list(call.pairs());
    expect_same_on_any_threads([&] { return attend(call); }, counts);
  }
}

TEST(Threads, WhatIsDrawn) {
  const PlainCall call = threaded_call();
  Asked dropout;
  dropout.dropout = Dropout{0.5f, 11};
  expect_same_on_any_threads([&] { return attend(call, dropout); }, counts);
  Asked sample;
  sample.sample_seed = 12;
  expect_same_on_any_threads([&] { return attend(call, sample); }, counts);
}

TEST(Threads, LayersAndPositions) {
  MultiHeadAttention layer;
  MultiHeadConfig config;
  config.embed_dim = 24;
  config.num_heads = 6;
  config.num_kv_heads = 3;
  config.seed = 5;
  ASSERT_TRUE(ok(MultiHeadAttention::create(config, layer)));
  const std::vector<float> x = Numbers(4).list(3 * 70 * 24);
  const ConstTensorView view(x.data(), {3, 70, 24});
  expect_same_on_any_threads([&] {
    std::vector<float> result(x.size());
    EXPECT_TRUE(ok(layer.try_forward(view, view, view, {result.data(), view.shape})));
    return result;
  }, counts);
  expect_same_on_any_threads([&] {
    std::vector<float> result(x.size());
    EXPECT_TRUE(ok(position::try_rotary(view, {}, {result.data(), view.shape})));
    return result;
  }, counts);
}

TEST(Threads, ACountThatIsNotOneIsRefused) {
  const int before = threads();
  EXPECT_GE(before, 1);
  for (const int count : {0, -1, -1000000, 2000000000}) {
    EXPECT_TRUE(refused(try_set_threads(count), ErrorCode::argument, {std::to_string(count)}));
    EXPECT_EQ(threads(), before);
  }
#if defined(__wasm__)
  const std::string more = std::to_string(before + 1);
  EXPECT_TRUE(refused(try_set_threads(before + 1), ErrorCode::argument, {more}));
#endif
}

}  // namespace
}  // namespace qkv::test
