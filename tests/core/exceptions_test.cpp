// The throwing twins: the same sentence and code, as an exception.
#include <gtest/gtest.h>

#include "qkv/qkv.hpp"
#include "support/agree.hpp"

namespace qkv::test {
namespace {

static_assert(std::is_base_of_v<std::runtime_error, Error>);

template <class Body>
void expect_throw(ErrorCode code, const std::string& word, const Body& body) {
  try {
    body();
    ADD_FAILURE() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

const float numbers[] = {1, 2, 3, 4, 5, 6};
const ConstTensorView three(numbers, {3, 2});
const ConstTensorView two(numbers, {2, 2});

TEST(Exceptions, AttentionBothWays) {
  const Tensor returned = attention(three, two, two);
  EXPECT_EQ(returned.shape().to_string(), "[3, 2]");
  std::vector<float> written(6);
  attention(three, two, two, {written.data(), {3, 2}});
  EXPECT_TRUE(same_bits(elements(returned), written));
  expect_throw(ErrorCode::shape, "[3, 2]", [] { attention(three, three, two); });
  expect_throw(ErrorCode::shape, "result", [&] {
    attention(three, two, two, {written.data(), {2, 3}});
  });
}

TEST(Exceptions, SentenceIsTheStatusSentence) {
  Tensor result(Shape{3, 2});
  const Status status = try_attention(three, three, two, result);
  try {
    attention(three, three, two, result);
    ADD_FAILURE() << "did not throw";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), status.message());
  }
}

TEST(Exceptions, Tensors) {
  EXPECT_EQ(Tensor(Shape{2, 3}).size(), 6);
  EXPECT_TRUE(same_bits(elements(Tensor(two)), {1, 2, 3, 4}));
  expect_throw(ErrorCode::shape, "[-1]", [] { Tensor(Shape{-1}); });
  expect_throw(ErrorCode::memory, "bytes", [] { Tensor(Shape{Index{1} << 58}); });
}

TEST(Exceptions, MasksBackendAndThreads) {
  EXPECT_TRUE(same_bits(elements(mask_matrix(mask::causal(), {2, 2})), {1, 0, 1, 1}));
  EXPECT_EQ(mask_stats(mask::causal(), {2, 2}).pairs, 3);
  expect_throw(ErrorCode::argument, "stride", [] { mask_matrix(mask::strided(0), {2, 2}); });
  expect_throw(ErrorCode::argument, "-2", [] { mask_stats(mask::window(-2, 0), {2, 2}); });
  const std::string name(backend());
  set_backend(name);
  EXPECT_EQ(backend(), name);
  expect_throw(ErrorCode::argument, "\"mmx\"", [] { set_backend("mmx"); });
  const int count = threads();
  set_threads(count);
  expect_throw(ErrorCode::argument, "0", [] { set_threads(0); });
}

TEST(Exceptions, Positions) {
  EXPECT_EQ(position::sinusoidal({.length = 3, .dim = 4}).shape().to_string(), "[3, 4]");
  EXPECT_EQ(position::learned(3, 4, 1).shape().to_string(), "[3, 4]");
  EXPECT_EQ(position::rotary(two).shape().to_string(), "[2, 2]");
  EXPECT_EQ(position::rotation(1, 2).shape().to_string(), "[2, 2]");
  EXPECT_EQ(position::alibi_slopes(4).size(), 4u);
  EXPECT_EQ(position::alibi(2, 3, 4).shape().to_string(), "[2, 3, 4]");
  const std::vector<float> table(32 * 2);
  EXPECT_EQ(position::relative_bias({table.data(), {32, 2}}, 3, 4).shape().to_string(), "[2, 3, 4]");
  EXPECT_EQ(position::binary(3, 2).shape().to_string(), "[3, 2]");
  expect_throw(ErrorCode::argument, "base", [] {
    position::sinusoidal({.length = 3, .dim = 4, .base = 0});
  });
  expect_throw(ErrorCode::argument, "heads", [] { position::alibi_slopes(0); });
  expect_throw(ErrorCode::argument, "heads", [] { position::alibi_slopes(-3); });
  expect_throw(ErrorCode::shape, "table", [] { position::relative_bias(two, 3, 4); });
  expect_throw(ErrorCode::argument, "3", [] { position::rotation(1, 3); });
}

TEST(Exceptions, Layers) {
  MultiHeadConfig config;
  config.embed_dim = 2;
  config.num_heads = 1;
  MultiHeadAttention layer(config);
  EXPECT_EQ(layer.forward(three).shape().to_string(), "[3, 2]");
  EXPECT_EQ(layer.forward(three, two, two).shape().to_string(), "[3, 2]");
  expect_throw(ErrorCode::shape, "width", [&] { layer.forward({numbers, {2, 3}}); });
  expect_throw(ErrorCode::argument, "missing", [&] { layer.load_state_dict({}); });
  config.num_heads = 8;
  expect_throw(ErrorCode::argument, "8", [&] { MultiHeadAttention{config}; });
  const PositionalEncoding positions({.dim = 2});
  EXPECT_EQ(positions.forward(three).shape().to_string(), "[3, 2]");
  expect_throw(ErrorCode::argument, "dim", [] { PositionalEncoding({.dim = 0}); });
}

}  // namespace
}  // namespace qkv::test
