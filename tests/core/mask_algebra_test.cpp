// Masks made of masks, against the same boolean algebra on statements about pairs.
#include <gtest/gtest.h>

#include "support/read_back.hpp"

namespace qkv::test {
namespace {

// A random tree of and, or, not and perHead over masks of every kind.
MaskCase random_tree(int depth, const std::vector<MaskCase>& leaves, Index heads, Numbers& numbers) {
  const Index kind = depth == 0 ? 4 : numbers.below(5);
  if (kind == 4) {
    return leaves[static_cast<std::size_t>(numbers.below(static_cast<Index>(leaves.size())))];
  }
  if (kind == 2) {
    const MaskCase inner = random_tree(depth - 1, leaves, heads, numbers);
    return {"not(" + inner.name + ")", mask::negate(inner.mask),
            [=](Index b, Index h, Index i, Index j) { return !inner.allowed(b, h, i, j); }};
  }
  const Index count = kind == 3 ? heads : 1 + numbers.below(3);
  std::vector<MaskCase> parts;
  std::vector<Mask> masks;
  std::string name;
  for (Index part = 0; part < count; ++part) {
    parts.push_back(random_tree(depth - 1, leaves, heads, numbers));
    masks.push_back(parts.back().mask);
    name += (part == 0 ? "" : ", ") + parts.back().name;
  }
  if (kind == 3) {
    return {"perHead(" + name + ")", mask::per_head(masks), [=](Index b, Index h, Index i, Index j) {
              return parts[static_cast<std::size_t>(h)].allowed(b, h, i, j);
            }};
  }
  const bool conjunction = kind == 0;
  return {(conjunction ? "and(" : "or(") + name + ")",
          conjunction ? mask::all_of(masks) : mask::any_of(masks),
          [=](Index b, Index h, Index i, Index j) {
            const auto holds = [&](const MaskCase& part) { return part.allowed(b, h, i, j); };
            return conjunction ? std::all_of(parts.begin(), parts.end(), holds)
                               : std::any_of(parts.begin(), parts.end(), holds);
          }};
}

TEST(MaskAlgebra, RandomTreesFollowBooleanAlgebra) {
  Numbers numbers(3);
  for (const auto& [queries, keys] : {std::pair<Index, Index>{1, 1}, {5, 3}, {64, 64}, {65, 63},
                                      {130, 65}, {63, 200}, {0, 9}, {9, 0}}) {
    const MaskSizes sizes{queries, keys, 2, 2};
    const std::vector<MaskCase> leaves = every_mask(sizes, numbers.bits());
    for (int tree = 0; tree < 40; ++tree) {
      ASSERT_TRUE(follows(random_tree(3, leaves, sizes.heads, numbers), sizes));
    }
  }
}

TEST(MaskAlgebra, AcrossAWordOfTiles) {
  Numbers numbers(4);
  const MaskSizes sizes{66, 4096 + 70, 2, 1};
  const std::vector<MaskCase> leaves = every_mask(sizes, 9);
  for (int tree = 0; tree < 6; ++tree) {
    ASSERT_TRUE(follows(random_tree(2, leaves, sizes.heads, numbers), sizes));
  }
}

// Every kind alone under not, where what a tile's states may leave open changes sides.
TEST(MaskAlgebra, NotOfEveryKind) {
  for (const auto& [queries, keys] : {std::pair<Index, Index>{130, 70}, {65, 130}}) {
    const MaskSizes sizes{queries, keys, 2, 2};
    for (const MaskCase& given : every_mask(sizes, 5)) {
      const Statement allowed = given.allowed;
      EXPECT_TRUE(follows({"not " + given.name, mask::negate(given.mask),
                           [=](Index b, Index h, Index i, Index j) { return !allowed(b, h, i, j); }},
                          sizes));
    }
  }
}

// Parts of one mask may be used again, and outlive the mask they were taken from.
TEST(MaskAlgebra, SharesItsParts) {
  Mask outer;
  {
    const Mask inner = mask::causal();
    outer = mask::any_of({inner, mask::negate(inner)});
  }
  EXPECT_TRUE(follows({"everything", outer, [](Index, Index, Index, Index) { return true; }},
                      {70, 70, 1, 1}));
}

}  // namespace
}  // namespace qkv::test
