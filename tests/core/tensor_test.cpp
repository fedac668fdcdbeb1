// Shapes, views and the tensor that owns its memory.
#include <gtest/gtest.h>

#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).elements(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).elements(), 0);
  EXPECT_EQ((Shape{0, Index{1} << 40}).elements(), 0);
  EXPECT_EQ((Shape{2, -1}).elements(), -1);
  EXPECT_EQ((Shape{0, -1}).elements(), -1);
  EXPECT_EQ((Shape{Index{1} << 31, Index{1} << 31}).elements(), -1);
  EXPECT_EQ((Shape{Index{1} << 31}).elements(), Index{1} << 31);
  EXPECT_EQ((Shape{INT64_MAX, INT64_MAX}).elements(), -1);
  EXPECT_EQ((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}).elements(), -1);
}

TEST(Shape, ComparesAndPrints) {
  EXPECT_TRUE((Shape{2, 3}) == (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{3, 2}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{2, 3, 1}));
  EXPECT_FALSE((Shape{}) == (Shape{1}));
  EXPECT_EQ((Shape{2, 4, 100}).to_string(), "[2, 4, 100]");
  EXPECT_EQ(Shape().to_string(), "[]");
  EXPECT_EQ((Shape{7}).to_string(), "[7]");
  EXPECT_EQ((Shape{2, 3, 4}).back(0), 4);
  EXPECT_EQ((Shape{2, 3, 4}).back(2), 2);
  Shape changed{2, 3};
  changed[0] = 9;
  EXPECT_EQ(changed.to_string(), "[9, 3]");
}

TEST(Shape, RemembersOnlyTheRankOfALongList) {
  const std::vector<Index> nine(9, 2), ten(10, 2);
  EXPECT_EQ(Shape(nine).rank(), 9);
  EXPECT_FALSE(Shape(nine) == Shape(ten));
  EXPECT_EQ(Shape(nine).to_string(), "[2, 2, 2, 2, 2, 2, 2, 2, ...]");
  EXPECT_EQ(row_major(Shape(nine)).rank(), 9);
  const Shape shape(nine);
  EXPECT_EQ(shape.end() - shape.begin(), Shape::max_rank);
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(row_major({2, 3, 4}).to_string(), "[12, 4, 1]");
  EXPECT_EQ(row_major({5}).to_string(), "[1]");
  EXPECT_EQ(row_major({}).to_string(), "[]");
  EXPECT_EQ(row_major({2, 0, 4}).back(0), 1);
}

TEST(View, NullIsNotGiven) {
  float x = 1;
  EXPECT_FALSE(TensorView());
  EXPECT_TRUE(TensorView(&x, {1}));
  const TensorView view(&x, {1, 1});
  const ConstTensorView read = view;
  EXPECT_EQ(read.data, &x);
  EXPECT_TRUE(read.shape == view.shape && read.strides == view.strides);
}

TEST(Tensor, IsZeroedAlignedMemory) {
  Tensor tensor;
  EXPECT_EQ(tensor.data(), nullptr);
  EXPECT_EQ(tensor.size(), 0);
  ASSERT_TRUE(ok(Tensor::create({3, 5}, tensor)));
  EXPECT_EQ(tensor.size(), 15);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0u);
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(tensor[i], 0);
  tensor[7] = 2;
  EXPECT_EQ(TensorView(tensor).strides.to_string(), "[5, 1]");
  ASSERT_TRUE(ok(Tensor::create({2}, tensor)));
  EXPECT_EQ(tensor.shape().to_string(), "[2]");
}

TEST(Tensor, EmptyOnesHaveMemoryToo) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 4, 2}}) {
    Tensor tensor;
    ASSERT_TRUE(ok(Tensor::create(shape, tensor)));
    EXPECT_NE(tensor.data(), nullptr);
    EXPECT_EQ(tensor.size(), 0);
  }
  Tensor scalar;
  ASSERT_TRUE(ok(Tensor::create({}, scalar)));
  EXPECT_EQ(scalar.size(), 1);
}

TEST(Tensor, MovesItsMemory) {
  Tensor first;
  ASSERT_TRUE(ok(Tensor::create({2, 2}, first)));
  first[1] = 8;
  const float* data = first.data();
  Tensor second(std::move(first));
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second[1], 8);
  EXPECT_EQ(first.data(), nullptr);
  EXPECT_EQ(first.size(), 0);
  Tensor third;
  ASSERT_TRUE(ok(Tensor::create({7}, third)));
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.shape().to_string(), "[2, 2]");
}

TEST(Tensor, GivesItsMemoryAway) {
  Tensor tensor;
  ASSERT_TRUE(ok(Tensor::create({2}, tensor)));
  tensor[0] = 3;
  float* data = tensor.detach();
  EXPECT_EQ(tensor.data(), nullptr);
  EXPECT_EQ(tensor.size(), 0);
  EXPECT_EQ(data[0], 3);
  release(data);
  EXPECT_EQ(Tensor().detach(), nullptr);
  release(nullptr);
}

TEST(Tensor, CopiesViewsOfAnyStrides) {
  for (const Shape& shape : {Shape{5}, Shape{3, 4}, Shape{2, 3, 4}, Shape{2, 1, 3, 4}, Shape{2, 0, 4},
                             Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
    for (const Layout layout : layouts) {
      std::vector<float> values;
      for (Index i = 0; i < shape.elements(); ++i) values.push_back(static_cast<float>(i));
      const Placed placed(shape, values, layout);
      Tensor copy;
      ASSERT_TRUE(ok(Tensor::copy(placed.view(), copy)));
      EXPECT_TRUE(copy.shape() == shape);
      EXPECT_TRUE(same_bits(elements(copy), values)) << shape.to_string();
    }
  }
  const float one = 4;
  Tensor scalar;
  ASSERT_TRUE(ok(Tensor::copy({&one, {}}, scalar)));
  EXPECT_EQ(scalar[0], 4);
  Tensor repeated;
  ASSERT_TRUE(ok(Tensor::copy({&one, {2, 2}, {0, 0}}, repeated)));
  EXPECT_TRUE(same_bits(elements(repeated), {4, 4, 4, 4}));
}

}  // namespace
}  // namespace qkv::test
