// The masks that papers are named after, against their definitions.
#include <gtest/gtest.h>

#include <set>

#include "dynamic/call.hpp"
#include "support/read_back.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

using Rows = std::vector<std::vector<Index>>;
using Pairs = std::vector<std::pair<Index, Index>>;

// The keys that each query of the first head sees.
Rows rows_of(const Mask& mask, Index queries, Index keys) {
  const auto matrix = read_back(mask, {queries, keys, 1, 1});
  Rows rows(static_cast<std::size_t>(queries));
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      if (matrix[static_cast<std::size_t>(i * keys + j)] != 0) {
        rows[static_cast<std::size_t>(i)].push_back(j);
      }
    }
  }
  return rows;
}

// Of many pairs: fewer numbers are tried with them.
bool is_large(const MaskSizes& sizes) { return sizes.query_length * sizes.key_length > 20000; }

constexpr MaskSizes sizes_to_try[] = {
    {0, 0, 1, 1},     {1, 1, 1, 1},    {0, 7, 2, 1},    {7, 0, 1, 2},     {7, 7, 2, 2},
    {63, 63, 1, 1},   {64, 64, 1, 1},  {65, 65, 2, 1},  {130, 130, 1, 2}, {130, 65, 1, 1},
    {65, 200, 1, 1},  {66, 4096 + 70, 1, 1},            {4096 + 70, 66, 1, 1}};

MaskCase strided_preset(Index stride) {
  return {"sparse transformer strided " + std::to_string(stride),
          mask::sparse_transformer_strided(stride), [=](Index, Index, Index i, Index j) {
            return j <= i && (i - j < stride || (i - j) % stride == 0);
          }};
}

MaskCase fixed_preset(Index stride, Index summary) {
  return {"sparse transformer fixed " + std::to_string(stride) + " " + std::to_string(summary),
          mask::sparse_transformer_fixed(stride, summary), [=](Index, Index, Index i, Index j) {
            return j <= i && (i / stride == j / stride || j % stride >= stride - summary);
          }};
}

MaskCase longformer_preset(Index window, std::vector<Index> tokens) {
  const std::set<Index> global(tokens.begin(), tokens.end());
  return {"longformer " + std::to_string(window), mask::longformer(window, tokens),
          [=](Index, Index, Index i, Index j) {
            return std::abs(i - j) <= window || global.count(i) > 0 || global.count(j) > 0;
          }};
}

// Blocks of BigBird without the random ones.
bool is_global(Index block, Index blocks, Index count) {
  return block < (count + 1) / 2 || block >= blocks - count / 2;
}
Statement fixed_blocks(const MaskSizes& sizes, Index size, Index global, const Pairs& more = {}) {
  const Index rows = (sizes.query_length + size - 1) / size;
  const Index columns = (sizes.key_length + size - 1) / size;
  return [=](Index, Index, Index i, Index j) {
    const Index row = i / size, column = j / size;
    return std::abs(row - column) <= 1 || is_global(row, rows, global) ||
           is_global(column, columns, global) ||
           std::find(more.begin(), more.end(), std::pair(row, column)) != more.end();
  };
}

TEST(MaskPresets, SparseTransformerByHand) {
  EXPECT_EQ(rows_of(mask::sparse_transformer_strided(3), 7, 7),
            (Rows{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {0, 3, 4, 5, 6}}));
  EXPECT_EQ(rows_of(mask::sparse_transformer_fixed(3, 1), 7, 7),
            (Rows{{0}, {0, 1}, {0, 1, 2}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {2, 5, 6}}));
  EXPECT_EQ(rows_of(mask::sparse_transformer_fixed(3, 2), 7, 7),
            (Rows{{0}, {0, 1}, {0, 1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 4, 5, 6}}));
}

TEST(MaskPresets, LongformerByHand) {
  EXPECT_EQ(rows_of(mask::longformer(1, {0}), 6, 6),
            (Rows{{0, 1, 2, 3, 4, 5}, {0, 1, 2}, {0, 1, 2, 3}, {0, 2, 3, 4}, {0, 3, 4, 5}, {0, 4, 5}}));
}

TEST(MaskPresets, BigBirdByHand) {
  const Rows want{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 5},    {0, 1, 2, 3, 5},
                  {0, 2, 3, 4, 5},    {0, 3, 4, 5}, {0, 1, 2, 3, 4, 5}};
  mask::BigBirdOptions options;
  options.block_size = 1;
  options.random_blocks = 0;
  EXPECT_EQ(rows_of(mask::big_bird(options), 6, 6), want);
  options.pairs = Pairs{{1, 3}, {3, 3}};  // the second is seen already
  Rows more = want;
  more[1] = {0, 1, 2, 3, 5};
  options.random_blocks = 100;  // not asked for
  EXPECT_EQ(rows_of(mask::big_bird(options), 6, 6), more);
  // Three global blocks are two at the beginning and one at the end, one is the first, none is none.
  options.pairs = Pairs{};
  options.global_blocks = 3;
  EXPECT_EQ(rows_of(mask::big_bird(options), 6, 6)[3], (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rows_of(mask::big_bird(options), 8, 8)[4], (std::vector<Index>{0, 1, 3, 4, 5, 7}));
  options.global_blocks = 1;
  EXPECT_EQ(rows_of(mask::big_bird(options), 8, 8)[4], (std::vector<Index>{0, 3, 4, 5}));
  options.global_blocks = 0;
  EXPECT_EQ(rows_of(mask::big_bird(options), 3, 3), (Rows{{0, 1}, {0, 1, 2}, {1, 2}}));
}

TEST(MaskPresets, FollowTheirDefinitions) {
  for (const MaskSizes& sizes : sizes_to_try) {
    for (const Index stride : {1, 3, 16, 64, 100, 5000}) {
      if (is_large(sizes) && stride != 3 && stride != 100) continue;
      EXPECT_TRUE(follows(strided_preset(stride), sizes));
      for (const Index summary : {Index{1}, stride / 2, stride}) {
        if (summary == 0) continue;
        EXPECT_TRUE(follows(fixed_preset(stride, summary), sizes));
      }
    }
    const Index longest = std::max(sizes.query_length, sizes.key_length);
    for (const Index window : {0, 1, 40, 5000}) {
      if (is_large(sizes) && window != 40) continue;
      EXPECT_TRUE(follows(longformer_preset(window, {}), sizes));
      if (longest == 0) continue;
      EXPECT_TRUE(follows(longformer_preset(window, {0, longest - 1, longest / 2, 0}), sizes));
    }
  }
}

TEST(MaskPresets, BigBirdFollowsItsDefinition) {
  for (const MaskSizes& sizes : sizes_to_try) {
    for (const Index size : {1, 5, 64, 100}) {
      if (is_large(sizes) && size != 100) continue;
      for (const Index global : {0, 1, 2, 3, 500}) {
        mask::BigBirdOptions options;
        options.block_size = size;
        options.random_blocks = 0;
        options.global_blocks = global;
        EXPECT_TRUE(follows({"BigBird " + std::to_string(size) + " " + std::to_string(global),
                             mask::big_bird(options), fixed_blocks(sizes, size, global)},
                            sizes));
      }
    }
  }
  // Given pairs, and a last block of two positions.
  const MaskSizes sizes{47, 62, 3, 2};
  const Pairs pairs{{1, 5}, {2, 0}, {9, 12}, {3, 12}};
  mask::BigBirdOptions options;
  options.block_size = 5;
  options.global_blocks = 1;
  options.pairs = pairs;
  EXPECT_TRUE(follows({"BigBird with pairs", mask::big_bird(options),
                       fixed_blocks(sizes, 5, 1, pairs)},
                      sizes));
}

// Which blocks each head and row drew, as sets; every pair that is seen and not fixed must be whole.
std::vector<std::set<Index>> drawn_blocks(const mask::BigBirdOptions& options, const MaskSizes& sizes) {
  const auto matrix = read_back(mask::big_bird(options), sizes);
  const Statement fixed = fixed_blocks(sizes, options.block_size, options.global_blocks);
  const Index size = options.block_size, rows = (sizes.query_length + size - 1) / size;
  std::vector<std::set<Index>> drawn(static_cast<std::size_t>(sizes.batch * sizes.heads * rows));
  std::vector<std::uint8_t> want;
  std::size_t at = 0;
  for (Index entry = 0; entry < sizes.batch * sizes.heads; ++entry) {
    for (Index i = 0; i < sizes.query_length; ++i) {
      for (Index j = 0; j < sizes.key_length; ++j, ++at) {
        if (matrix[at] != 0 && !fixed(0, 0, i, j)) {
          drawn[static_cast<std::size_t>(entry * rows + i / size)].insert(j / size);
        }
      }
    }
  }
  at = 0;
  for (Index entry = 0; entry < sizes.batch * sizes.heads; ++entry) {
    for (Index i = 0; i < sizes.query_length; ++i) {
      for (Index j = 0; j < sizes.key_length; ++j, ++at) {
        const auto& row = drawn[static_cast<std::size_t>(entry * rows + i / size)];
        EXPECT_EQ(matrix[at] != 0, fixed(0, 0, i, j) || row.count(j / size) > 0) << i << " " << j;
      }
    }
  }
  return drawn;
}

TEST(MaskPresets, BigBirdDrawsBlocksForEachHeadAndRow) {
  const MaskSizes sizes{39, 52, 3, 2};  // 10 x 13 blocks of 4, both with a short last one but one
  mask::BigBirdOptions options;
  options.block_size = 4;
  options.seed = 7;
  for (const Index count : {1, 3, 8}) {
    options.random_blocks = count;
    const auto drawn = drawn_blocks(options, sizes);
    for (std::size_t n = 0; n < drawn.size(); ++n) {
      const bool global = n % 10 == 0 || n % 10 == 9;
      EXPECT_EQ(static_cast<Index>(drawn[n].size()), global ? 0 : count) << n;
    }
    // The same for each batch entry, others for each head.
    const std::size_t half = drawn.size() / 2;
    for (std::size_t n = 0; n < half; ++n) EXPECT_EQ(drawn[n], drawn[half + n]);
    if (count < 8) {
      EXPECT_NE(std::vector(drawn.begin(), drawn.begin() + 10),
                std::vector(drawn.begin() + 10, drawn.begin() + 20));
    }
  }
  options.random_blocks = 2;
  const auto first = drawn_blocks(options, sizes);
  EXPECT_EQ(first, drawn_blocks(options, sizes));
  options.seed = 8;
  EXPECT_NE(first, drawn_blocks(options, sizes));
}

TEST(MaskPresets, BigBirdDrawsAllBlocksEquallyOften) {
  mask::BigBirdOptions options;
  options.block_size = 1;
  options.random_blocks = 2;
  constexpr Index heads = 1500;
  const auto drawn = drawn_blocks(options, {10, 10, heads, 1});
  std::vector<Index> seen(10);
  for (Index head = 0; head < heads; ++head) {
    for (const Index block : drawn[static_cast<std::size_t>(head * 10 + 4)]) ++seen[block];
  }
  // Left are 1, 2, 6, 7 and 8: 600 expected of each, with a deviation of 19.
  for (const Index block : {1, 2, 6, 7, 8}) EXPECT_NEAR(seen[block], 600, 95) << block;
}

TEST(MaskPresets, RefuseNumbersThatDoNotFit) {
  const MaskSizes sizes{40, 40, 1, 1};
  MaskStats stats;
  const auto expect = [&](const Mask& mask, const std::vector<std::string>& words) {
    EXPECT_TRUE(refused(try_mask_stats(mask, sizes, stats), ErrorCode::argument, words));
  };
  expect(mask::sparse_transformer_strided(0), {"mask.sparseTransformer", "stride", "saw 0"});
  expect(mask::sparse_transformer_fixed(-1, 1), {"mask.sparseTransformer", "-1"});
  expect(mask::sparse_transformer_fixed(4, 5), {"summary", "4", "5"});
  expect(mask::sparse_transformer_fixed(4, 0), {"summary", "0"});
  expect(mask::longformer(-2, {}), {"mask.longformer", "-2"});
  expect(mask::longformer(2, {40}), {"40"});
  mask::BigBirdOptions options;
  options.block_size = 0;
  expect(mask::big_bird(options), {"mask.bigBird", "blockSize", "saw 0"});
  options = {.block_size = 4, .random_blocks = -3};
  expect(mask::big_bird(options), {"randomBlocks", "-3"});
  options = {.block_size = 4, .global_blocks = -1};
  expect(mask::big_bird(options), {"globalBlocks", "-1"});
  // Ten blocks; rows in the middle have five left.
  options = {.block_size = 4, .random_blocks = 6};
  expect(mask::big_bird(options), {"randomBlocks is 6", "10", "only 5", "block 2"});
  options.random_blocks = 5;
  EXPECT_TRUE(ok(try_mask_stats(mask::big_bird(options), sizes, stats)));
  options.pairs = Pairs{{10, 0}};
  expect(mask::big_bird(options), {"[10, 0]", "10 x 10"});
}

TEST(MaskPresets, EnormousNumbers) {
  constexpr Index most = INT64_MAX;
  const MaskSizes sizes{70, 130, 2, 1};
  const auto all = [](Index, Index, Index, Index) { return true; };
  const auto causal = [](Index, Index, Index i, Index j) { return j <= i; };
  EXPECT_TRUE(follows({"strided", mask::sparse_transformer_strided(most), causal}, sizes));
  EXPECT_TRUE(follows({"fixed", mask::sparse_transformer_fixed(most, 1), causal}, sizes));
  EXPECT_TRUE(follows({"fixed", mask::sparse_transformer_fixed(most, most), causal}, sizes));
  EXPECT_TRUE(follows({"longformer", mask::longformer(most, {}), all}, sizes));
  mask::BigBirdOptions options;
  options.block_size = most;
  EXPECT_TRUE(follows({"one block", mask::big_bird(options), all}, sizes));
  options = {.block_size = 1, .random_blocks = most, .global_blocks = most};
  EXPECT_TRUE(follows({"all global", mask::big_bird(options), all}, sizes));
}

// --- by their descriptions -----------------------------------------------------------------------

Status read(const Json& description, Mask& mask) {
  Values values;
  values.add(description);
  return dynamic::read_mask("mask", dynamic::Call(values.words()).argument(0), mask);
}

void expect_same(const Json& description, const Mask& want) {
  Mask mask;
  ASSERT_TRUE(ok(read(description, mask))) << description;
  const MaskSizes sizes{40, 40, 2, 1};
  EXPECT_EQ(read_back(mask, sizes), read_back(want, sizes)) << description;
}

TEST(MaskPresets, AreReadFromDescriptions) {
  expect_same({{"kind", "sparseTransformer"}, {"stride", 3}}, mask::sparse_transformer_strided(3));
  expect_same({{"kind", "sparseTransformer"}, {"stride", 3}, {"pattern", "strided"}},
              mask::sparse_transformer_strided(3));
  expect_same({{"kind", "sparseTransformer"}, {"stride", 6}, {"pattern", "fixed"}},
              mask::sparse_transformer_fixed(6, 1));
  expect_same({{"kind", "sparseTransformer"}, {"stride", 6}, {"pattern", "fixed"}, {"summary", 2}},
              mask::sparse_transformer_fixed(6, 2));
  expect_same({{"kind", "longformer"}, {"window", 2}, {"global", {0, 5}}},
              mask::longformer(2, {0, 5}));
  mask::BigBirdOptions options;
  expect_same({{"kind", "bigBird"}}, mask::big_bird(options));
  options = {.block_size = 4, .random_blocks = 2, .seed = 9, .global_blocks = 1};
  Json description = {{"kind", "bigBird"}, {"blockSize", 4}, {"randomBlocks", 2}, {"seed", 9},
                      {"globalBlocks", 1}};
  expect_same(description, mask::big_bird(options));
  options.pairs = Pairs{{1, 7}, {5, 2}};
  description["pairs"] = {{1, 7}, {5, 2}};
  expect_same(description, mask::big_bird(options));
}

TEST(MaskPresets, DescriptionsAreRefusedByName) {
  Mask mask;
  const ErrorCode argument = ErrorCode::argument;
  EXPECT_TRUE(refused(read({{"kind", "sparseTransformer"}}, mask), argument, {"mask.stride", "needed"}));
  EXPECT_TRUE(refused(read({{"kind", "sparseTransformer"}, {"stride", 3}, {"pattern", "x"}}, mask),
                      argument, {"mask.pattern", "strided", "fixed", "x"}));
  EXPECT_TRUE(refused(read({{"kind", "sparseTransformer"}, {"stride", 3}, {"summary", 1}}, mask),
                      argument, {"mask.summary", "fixed"}));
  EXPECT_TRUE(refused(read({{"kind", "longformer"}, {"window", 3}}, mask), argument, {"mask.global"}));
  EXPECT_TRUE(refused(read({{"kind", "bigBird"}, {"blocks", 3}}, mask), argument,
                      {"mask.blocks", "blockSize", "globalBlocks"}));
  EXPECT_TRUE(refused(read({{"kind", "bigBird"}, {"pairs", {1, 2}}}, mask), ErrorCode::shape,
                      {"mask.pairs", "[2]"}));
}

}  // namespace
}  // namespace qkv::test
