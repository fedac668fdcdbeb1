// Attention follows exactly the pairs of its mask.
#include <gtest/gtest.h>

#include "reference.hpp"
#include "support/attend.hpp"
#include "support/read_back.hpp"

namespace qkv::test {
namespace {

PlainCall masked_call(const MaskCase& given, Index queries, Index keys) {
  PlainCall call = sized(queries, keys, 6, 5);
  call.batch = 3;
  call.heads = call.kv_heads = 2;
  fill(call, 21);
  call.mask = given.mask;
  call.allowed = dense(given.allowed, {queries, keys, call.heads, call.batch});
  return call;
}

class MaskedAttention : public testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(MaskedAttention, IsThatOfTheSameMaskAsAMatrix) {
  const auto [queries, keys] = GetParam();
  for (const MaskCase& given : every_mask({queries, keys, 2, 3}, 13)) {
    SCOPED_TRACE(given.name);
    PlainCall call = masked_call(given, queries, keys);
    const Results<float> got = attend(call);
    EXPECT_TRUE(agree(call, got, reference(call)));
    call.mask = mask::keep(BoolView(call.allowed.data(), {3, 2, queries, keys}));
    EXPECT_TRUE(same_bits(got, attend(call)));
    std::vector<std::uint8_t> forbidden;
    for (const std::uint8_t open : call.allowed) forbidden.push_back(open == 0 ? 1 : 0);
    call.mask = mask::ignore(BoolView(forbidden.data(), {3, 2, queries, keys}));
    EXPECT_TRUE(same_bits(got, attend(call)));
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, MaskedAttention,
                         testing::Values(std::pair<Index, Index>{1, 40}, std::pair<Index, Index>{7, 9},
                                         std::pair<Index, Index>{65, 64},
                                         std::pair<Index, Index>{70, 200}),
                         [](const auto& info) {
                           return std::to_string(info.param.first) + "x" +
                                  std::to_string(info.param.second);
                         });

// A row of three axes is [heads, queries, keys], never [batch, queries, keys].
TEST(MaskedAttentionRank, ThreeAxesAreHeads) {
  PlainCall call = sized(1, 2, 1, 1);
  call.batch = call.heads = call.kv_heads = 2;
  call.query.assign(4, 0);
  call.key.assign(8, 0);
  call.value = {1, 3, 1, 3, 1, 3, 1, 3};
  const std::vector<std::uint8_t> cells = {1, 0, 0, 1};
  call.mask = mask::keep({cells.data(), {2, 1, 2}});
  EXPECT_TRUE(same_bits(attend(call).output, {1, 3, 1, 3}));
  call.mask = mask::keep({cells.data(), {2, 1, 1, 2}});
  EXPECT_TRUE(same_bits(attend(call).output, {1, 1, 3, 3}));
}

}  // namespace
}  // namespace qkv::test
