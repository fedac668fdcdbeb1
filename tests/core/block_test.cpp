// The self-attention block beyond its golden cases: where its weights are written, and what it
// refuses.
#include "qkv/block.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

// Weights of a block of `width` features with as many hidden units.
struct Weights {
  explicit Weights(Index width) : width(width) {
    Numbers numbers(11);
    in_proj = numbers.list(3 * width * width);
    out_proj = numbers.list(width * width);
    linear1 = numbers.list(width * width);
    linear2 = numbers.list(width * width);
  }

  SelfAttentionBlockOptions options(Index heads) const {
    SelfAttentionBlockOptions given;
    given.num_heads = heads;
    given.in_proj_weight = {in_proj.data(), {3 * width, width}};
    given.out_proj_weight = {out_proj.data(), {width, width}};
    given.linear1_weight = {linear1.data(), {width, width}};
    given.linear2_weight = {linear2.data(), {width, width}};
    return given;
  }

  Index width;
  std::vector<float> in_proj, out_proj, linear1, linear2;
};

TEST(Block, WritesWeightsOfAnyStrides) {
  const Weights weights(6);
  const Index batch = 2, heads = 3, length = 5;
  const std::vector<float> x = Numbers(3).list(batch * length * 6);
  const Shape shape{batch, heads, length, length};
  Made result(Shape{batch, length, 6}), dense(shape);
  SelfAttentionBlockOptions options = weights.options(heads);
  options.weights = dense;
  ASSERT_TRUE(ok(try_self_attention_block({x.data(), {batch, length, 6}}, result, options)));
  const std::vector<float> want = elements(dense), output = elements(result);
  for (std::size_t row = 0; row < want.size(); row += static_cast<std::size_t>(length)) {
    float sum = 0;
    for (Index key = 0; key < length; ++key) sum += want[row + static_cast<std::size_t>(key)];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  // Keys first, queries last.
  std::vector<float> turned(want.size());
  options.weights = {turned.data(), shape, {heads * length * length, length * length, 1, length}};
  ASSERT_TRUE(ok(try_self_attention_block({x.data(), {batch, length, 6}}, result, options)));
  for (Index entry = 0; entry < batch * heads; ++entry) {
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j < length; ++j) {
        const Index at = entry * length * length;
        EXPECT_EQ(turned[static_cast<std::size_t>(at + j * length + i)],
                  want[static_cast<std::size_t>(at + i * length + j)]);
      }
    }
  }
  EXPECT_TRUE(same_bits(elements(result), output));
}

TEST(Block, TokensWithoutFeaturesAreSeenAlike) {
  const float some = 0;
  Made result(Shape{4, 0}), seen(Shape{2, 4, 4});
  SelfAttentionBlockOptions options;
  options.num_heads = 2;
  for (ConstTensorView* view : {&options.in_proj_weight, &options.out_proj_weight,
                                &options.linear1_weight, &options.linear2_weight}) {
    *view = {&some, {0, 0}};
  }
  options.weights = seen;
  ASSERT_TRUE(ok(try_self_attention_block({&some, {4, 0}}, result, options)));
  EXPECT_EQ(elements(seen), std::vector<float>(32, 0.25f));
}

TEST(Block, EveryActivationOfLargeNumbers) {
  const Weights weights(2);
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::silu}) {
    for (const float size : {1e-30f, 1.0f, 1e4f}) {
      const std::vector<float> x{size, -size, -size, size};
      SelfAttentionBlockOptions options = weights.options(1);
      options.activation = activation;
      options.norm_first = true;
      Made result(Shape{2, 2});
      ASSERT_TRUE(ok(try_self_attention_block({x.data(), {2, 2}}, result, options)));
      for (const float value : elements(result)) EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(Block, ThreadsDoNotChangeResults) {
  const Weights weights(32);
  const std::vector<float> x = Numbers(4).list(700 * 32);
  for (const Activation activation : {Activation::gelu, Activation::silu}) {
    expect_same_on_any_threads([&] {
      SelfAttentionBlockOptions options = weights.options(4);
      options.activation = activation;
      Made result(Shape{700, 32});
      EXPECT_TRUE(ok(try_self_attention_block({x.data(), {700, 32}}, result, options)));
      return elements(result);
    });
  }
}

TEST(Block, RefusesWhatDoesNotFit) {
  const Weights weights(6);
  const std::vector<float> x(30);
  const ConstTensorView view(x.data(), {5, 6});
  Made result(Shape{5, 6});
  const auto run = [&](const SelfAttentionBlockOptions& options) {
    return try_self_attention_block(view, result, options);
  };
  EXPECT_TRUE(refused(run(weights.options(4)), ErrorCode::argument, {"numHeads", "6", "4"}));
  EXPECT_TRUE(refused(run(weights.options(0)), ErrorCode::argument, {"numHeads", "0"}));
  Made narrow(Shape{2, 5, 4});
  SelfAttentionBlockOptions options = weights.options(2);
  options.weights = narrow;
  EXPECT_TRUE(refused(run(options), ErrorCode::shape, {"weights", "[2, 5, 5]", "[2, 5, 4]"}));
  options = weights.options(2);
  options.linear2_weight.shape = {5, 6};
  EXPECT_TRUE(refused(run(options), ErrorCode::shape, {"linear2Weight", "[5, 6]"}));
  Shape shape;
  EXPECT_TRUE(refused(block_weights_shape({x.data(), {1, 1, 1, 1, 1, 1, 5, 6}}, 2, shape),
                      ErrorCode::shape, {"x", "[1, 1, 1, 1, 1, 1, 5, 6]"}));
  ASSERT_TRUE(ok(run(weights.options(2))));
}

}  // namespace
}  // namespace qkv::test
