// Few queries against many keys: heads that are run together because they share their keys, and keys
// that are split and merged.
#include <gtest/gtest.h>

#include "support/sweep.hpp"

namespace qkv::test {
namespace {

// A mask of its own for every head.
void give_each_head_a_mask(PlainCall& call) {
  const MaskSizes sizes{call.queries, call.keys, call.heads, call.batch};
  std::vector<MaskCase> cases;
  std::vector<Mask> masks;
  for (Index head = 0; head < call.heads; ++head) {
    Numbers numbers(static_cast<std::uint64_t>(head) + 1);
    cases.push_back(head % 3 == 0   ? window_case(call.keys / 2 + head, 70 * head)
                    : head % 3 == 1 ? strided_case(head + 1, false)
                                    : matrix_case({call.queries, call.keys}, true, 0.5, numbers));
    masks.push_back(cases.back().mask);
  }
  call.mask = mask::per_head(masks);
  call.allowed = dense([&](Index b, Index h, Index i, Index j) {
    return cases[static_cast<std::size_t>(h)].allowed(b, h, i, j);
  }, sizes);
}

void add_extras(PlainCall& call, std::uint64_t seed) {
  Numbers numbers(seed);
  call.softcap = 2;
  call.bias = numbers.list(call.pairs(), -2, 2);
  for (float& bias : call.bias) {
    if (numbers.chance(0.05)) bias = -HUGE_VALF;
  }
  call.sinks = numbers.list(call.heads, -2, 2);
}

class SharedKeys : public testing::TestWithParam<Index> {};

TEST_P(SharedKeys, OneQueryOfSeveralHeads) {
  std::uint64_t seed = 1;
  for (const Index keys : {1, 5, 17, 64, 65, 200, 1090}) {
    for (const NormalizerKind normalizer : normalizer_kinds) {
      for (const bool extras : {false, true}) {
        for (const int mask : {0, 1, 2}) {
          PlainCall call = sized(1, keys, 9, 11);
          call.kv_heads = 2;
          call.heads = 2 * GetParam();
          call.batch = keys < 100 ? 2 : 1;
          call.normalizer = normalizer;
          fill(call, ++seed);
          if (extras && normalizer == NormalizerKind::softmax) add_extras(call, seed);
          if (mask == 1) set_mask(call, SweepMask::causal_end);
          if (mask == 2) give_each_head_a_mask(call);
          Asked asked;
          asked.inputs = layouts[seed % std::size(layouts)];
          asked.results = layouts[seed / 2 % std::size(layouts)];
          if (!sweep(call, asked)) return;
        }
      }
    }
  }
}

// Fewer and more heads than are run at once, than a panel has lanes, and than a band has rows.
INSTANTIATE_TEST_SUITE_P(Group, SharedKeys, testing::Values(2, 3, 4, 5, 9, 65));

TEST(Decode, WhatIsDrawnDoesNotDependOnHowHeadsAreRun) {
  PlainCall call = sized(1, 150, 8, 8);
  call.heads = 6;
  call.kv_heads = 2;
  fill(call, 3);
  PlainCall apart = call;  // every head with keys and values of its own
  apart.kv_heads = call.heads;
  apart.key.clear();
  apart.value.clear();
  const auto copy = [&](const std::vector<float>& from, std::vector<float>& to, Index width) {
    for (Index head = 0; head < call.heads; ++head) {
      const auto first = from.begin() + head / 3 * call.keys * width;
      to.insert(to.end(), first, first + call.keys * width);
    }
  };
  copy(call.key, apart.key, call.key_width);
  copy(call.value, apart.value, call.value_width);
  Asked asked;
  asked.dropout = Dropout{0.4f, 5};
  EXPECT_TRUE(agree(call, attend(call, asked), attend(apart, asked)));
  asked.dropout.reset();
  asked.sample_seed = 6;
  EXPECT_TRUE(agree(call, attend(call, asked), attend(apart, asked)));
}

class SplitKeys : public testing::TestWithParam<Index> {};

TEST_P(SplitKeys, AgreeWithTheReference) {
  std::uint64_t seed = 50;
  for (const Index keys : {1023, 1024, 1090, 4100}) {
    for (const NormalizerKind normalizer : normalizer_kinds) {
      for (const SweepMask mask : {SweepMask::none, SweepMask::causal_end, SweepMask::holes}) {
        PlainCall call = sized(GetParam(), keys, 5, 6);
        call.normalizer = normalizer;
        fill(call, ++seed);
        set_mask(call, mask);
        if (mask != SweepMask::none && normalizer == NormalizerKind::softmax) {
          add_extras(call, seed);
        }
        // Sums of so many terms: their rounding grows with their number.
        if (!sweep(call, {}, {2e-6, 2e-6})) return;
      }
    }
  }
}

// Run one by one, in part of a panel, and in several bands.
INSTANTIATE_TEST_SUITE_P(Queries, SplitKeys, testing::Values(1, 3, 7, 70));

// A range in which a query may meet nothing has a maximum of -infinity.
TEST(SplitKeys, EmptyRangesAddNothing) {
  PlainCall call = sized(2, 2000, 4, 4);
  fill(call, 9);
  const MaskSizes sizes{2, 2000, 1, 1};
  const auto only_last = [](Index, Index, Index i, Index j) { return i == 0 && j >= 1990; };
  std::vector<std::uint8_t> keep;
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 2000; ++j) keep.push_back(only_last(0, 0, i, j) ? 1 : 0);
  }
  call.mask = mask::keep({keep.data(), {2, 2000}});
  call.allowed = dense(only_last, sizes);
  sweep(call);
  EXPECT_EQ(attend(call).output[4], 0);  // the second query may meet nothing at all
}

}  // namespace
}  // namespace qkv::test
