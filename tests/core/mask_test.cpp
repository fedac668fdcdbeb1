// Every kind of mask against its definition, pair by pair, over lengths that cross a tile of 64 and a
// word of 64 tiles.
#include <gtest/gtest.h>

#include <set>

#include "support/read_back.hpp"

namespace qkv::test {
namespace {

struct Lengths {
  Index queries, keys;
};

constexpr Lengths lengths[] = {
    {0, 0},   {0, 5},    {5, 0},    {1, 1},      {1, 64},   {63, 63},   {64, 64},  {65, 65},
    {1, 130}, {130, 1},  {64, 130}, {130, 63},   {65, 64},  {130, 130}, {200, 70}, {1, 4096 + 70},
    {65, 4096 + 70},     {4096 + 70, 65}};

class MaskSize : public testing::TestWithParam<Lengths> {};

TEST_P(MaskSize, FollowsItsDefinition) {
  // Long ones with one head: a matrix of every pair is kept.
  const bool large = GetParam().queries * GetParam().keys > 100000;
  const MaskSizes sizes{GetParam().queries, GetParam().keys, large ? 1 : 2, large ? 1 : 3};
  for (const MaskCase& given : every_mask(sizes, 7)) {
    EXPECT_TRUE(follows(given, sizes));
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, MaskSize, testing::ValuesIn(lengths), [](const auto& info) {
  return std::to_string(info.param.queries) + "x" + std::to_string(info.param.keys);
});

TEST(Mask, OneLengthServesTheWholeBatch) {
  const MaskSizes sizes{3, 5, 2, 4};
  EXPECT_TRUE(follows({"one length", mask::lengths({2}, {1}),
                       [](Index, Index, Index i, Index j) { return j < 2 && i < 1; }},
                      sizes));
  EXPECT_TRUE(follows({"of queries only", mask::lengths({}, {1, 0, 3, 2}),
                       [](Index b, Index, Index i, Index) { return i < std::vector<Index>{1, 0, 3, 2}[static_cast<std::size_t>(b)]; }},
                      sizes));
}

TEST(Mask, ResultsMayHaveAnyStrides) {
  const MaskSizes sizes{3, 70, 2, 2};
  std::vector<float> memory(2 * 2 * 3 * 70 * 2, 9);
  // Keys two apart, batch and heads exchanged.
  const Strides strides{3 * 140, 2 * 3 * 140, 140, 2};
  ASSERT_TRUE(ok(try_mask_matrix(mask::causal(30), sizes, {memory.data(), {2, 2, 3, 70}, strides})));
  for (std::size_t n = 0; n < memory.size(); ++n) {
    const std::size_t i = n / 140 % 3, j = n % 140 / 2;
    ASSERT_EQ(memory[n], n % 2 == 1 ? 9 : j <= i + 30 ? 1 : 0) << n;
  }
}

TEST(Mask, ArraysAreCopied) {
  std::vector<std::uint8_t> cells = {1, 0, 0, 1};
  const Mask kept = mask::keep({cells.data(), {2, 2}});
  const Mask blocks = mask::blocks(1, BoolView(cells.data(), {2, 2}));
  cells = {0, 0, 0, 0};
  const std::vector<std::uint8_t> want = {1, 0, 0, 1};
  EXPECT_EQ(read_back(kept, {2, 2, 1, 1}), want);
  EXPECT_EQ(read_back(blocks, {2, 2, 1, 1}), want);
}

TEST(Mask, MatricesMayHaveAnyStrides) {
  const std::vector<std::uint8_t> cells = {0, 9, 1, 9, 1, 9, 1, 9, 0, 9, 0};
  // [3, 2] stored by columns, two apart: rows (0,1), (1,0), (1,0).
  const BoolView view(cells.data(), {3, 2}, {2, 6});
  EXPECT_EQ(read_back(mask::keep(view), {3, 2, 1, 1}), (std::vector<std::uint8_t>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(read_back(mask::ignore(view), {3, 2, 1, 1}),
            (std::vector<std::uint8_t>{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(read_back(mask::blocks(1, view), {3, 2, 1, 1}),
            (std::vector<std::uint8_t>{0, 1, 1, 0, 1, 0}));
}

// Numbers far beyond any length mean what they say, with no wrap-around.
TEST(Mask, EnormousNumbers) {
  constexpr Index most = INT64_MAX, least = INT64_MIN;
  const MaskSizes sizes{70, 130, 1, 1};
  const auto all = [](Index, Index, Index, Index) { return true; };
  const auto none = [](Index, Index, Index, Index) { return false; };
  const auto diagonal = [](Index, Index, Index i, Index j) { return i == j; };
  EXPECT_TRUE(follows({"causal", mask::causal(most), all}, sizes));
  EXPECT_TRUE(follows({"causal", mask::causal(least), none}, sizes));
  EXPECT_TRUE(follows({"window", mask::window(most, most), all}, sizes));
  EXPECT_TRUE(follows({"window", mask::window(0, most),
                       [](Index, Index, Index i, Index j) { return j >= i; }},
                      sizes));
  EXPECT_TRUE(follows({"strided", mask::strided(most), diagonal}, sizes));
  EXPECT_TRUE(follows({"strided", mask::strided(most / 2, true), diagonal}, sizes));
  EXPECT_TRUE(follows({"dilated", mask::dilated(most, most), diagonal}, sizes));
  EXPECT_TRUE(follows({"dilated", mask::dilated(most, 1), all}, sizes));
  EXPECT_TRUE(follows({"blockLocal", mask::block_local(most), all}, sizes));
  EXPECT_TRUE(follows({"blocks", mask::blocks(most, {{0, 0}}), all}, sizes));
  EXPECT_TRUE(follows({"blocks", mask::blocks(most, std::vector<std::pair<Index, Index>>{}), none},
                      sizes));
}

// --- random ----------------------------------------------------------------------------------------

TEST(RandomMask, DrawsExactlyCountDistinctKeys) {
  for (const MaskSizes& sizes : {MaskSizes{1, 1, 1, 1}, MaskSizes{20, 7, 2, 2},
                                 MaskSizes{130, 65, 1, 1}, MaskSizes{3, 4096 + 70, 1, 1}}) {
    for (const Index count : {Index{0}, Index{1}, Index{5}, sizes.key_length - 1, sizes.key_length}) {
      if (count > sizes.key_length) continue;
      const auto matrix = read_back(mask::random(count, 11), sizes);
      for (std::size_t row = 0; row * sizes.key_length < matrix.size(); ++row) {
        Index sum = 0;
        for (Index j = 0; j < sizes.key_length; ++j) sum += matrix[row * sizes.key_length + j];
        ASSERT_EQ(sum, count) << "row " << row << " of " << sizes.key_length << " keys";
      }
    }
  }
}

TEST(RandomMask, IsReproducibleAndTheSameForAllHeads) {
  const MaskSizes one{40, 100, 1, 1}, many{40, 100, 3, 2};
  const auto first = read_back(mask::random(9, 5), one);
  EXPECT_EQ(first, read_back(mask::random(9, 5), one));
  EXPECT_NE(first, read_back(mask::random(9, 6), one));
  const auto all = read_back(mask::random(9, 5), many);
  for (std::size_t n = 0; n < all.size(); ++n) ASSERT_EQ(all[n], first[n % first.size()]);
}

TEST(RandomMask, RowsDifferAndKeysAreEquallyLikely) {
  constexpr Index queries = 3000, keys = 10, count = 3;
  const auto matrix = read_back(mask::random(count, 1), {queries, keys, 1, 1});
  std::set<std::vector<std::uint8_t>> rows;
  std::vector<Index> drawn(keys);
  for (Index i = 0; i < queries; ++i) {
    rows.emplace(matrix.begin() + i * keys, matrix.begin() + (i + 1) * keys);
    for (Index j = 0; j < keys; ++j) drawn[j] += matrix[i * keys + j];
  }
  EXPECT_EQ(rows.size(), 120u);  // 3 of 10, every choice
  // 900 expected of each key, with a deviation of 25.
  for (Index j = 0; j < keys; ++j) EXPECT_NEAR(drawn[j], queries * count / keys, 125) << j;
}

}  // namespace
}  // namespace qkv::test
