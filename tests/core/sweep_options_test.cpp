// Every score with every normalizer, mask and further option, on every backend, at sizes that cross
// a panel and a tile.
#include <gtest/gtest.h>

#include "support/sweep.hpp"

namespace qkv::test {
namespace {

enum class Extra { nothing, softcap, bias, sinks, all };

struct Sizes {
  Index queries, keys, width, value_width;
};

// One query of few keys and of many, one panel, several tiles.
constexpr Sizes sizes[] = {{1, 9, 4, 3},   {1, 12, 5, 2},  {2, 33, 8, 4},
                           {5, 16, 7, 5},  {9, 33, 8, 4},  {3, 130, 6, 9},
                           {70, 20, 3, 7}, {66, 129, 16, 9}};

using Choice = std::tuple<ScoreKind, NormalizerKind, SweepMask>;

class SweepOptions : public testing::TestWithParam<Choice> {};

TEST_P(SweepOptions, AgreeWithTheReferenceAndWithScalar) {
  const auto& [score, normalizer, mask] = GetParam();
  std::uint64_t seed = 100;
  for (const Sizes& at : sizes) {
    for (const Extra extra :
         {Extra::nothing, Extra::softcap, Extra::bias, Extra::sinks, Extra::all}) {
      const bool sinks = extra == Extra::sinks || extra == Extra::all;
      if (sinks && normalizer != NormalizerKind::softmax) continue;
      PlainCall call = sized(at.queries, at.keys, at.width, at.value_width);
      const bool large = at.queries * at.keys > 1000;  // enough rows without a batch
      call.batch = large ? 1 : 2;
      call.heads = large ? 2 : 4;
      call.kv_heads = large ? 1 : 2;
      call.score = score;
      call.normalizer = normalizer;
      call.hidden = 11;
      if (score == ScoreKind::additive || score == ScoreKind::bilinear) call.key_width = at.width + 1;
      fill(call, ++seed);
      set_mask(call, mask);
      Numbers numbers(seed);
      if (extra == Extra::softcap || extra == Extra::all) call.softcap = 1.5f;
      if (extra == Extra::bias || extra == Extra::all) {
        call.bias = numbers.list(call.pairs(), normalizer == NormalizerKind::relu ? 0 : -2, 2);
        for (float& bias : call.bias) {
          if (numbers.chance(0.1)) bias = -HUGE_VALF;
        }
      }
      if (sinks) call.sinks = numbers.list(call.heads, -2, 2);
      if (seed % 3 == 0) call.scale = 0.75f;
      Asked asked;
      asked.inputs = layouts[seed % std::size(layouts)];
      asked.results = layouts[seed / 2 % std::size(layouts)];
      if (!sweep(call, asked)) return;
    }
  }
}

std::string choice_name(const testing::TestParamInfo<Choice>& info) {
  constexpr const char* scores[] = {"scaledDot", "dot", "cosine", "additive", "bilinear"};
  constexpr const char* normalizers[] = {"softmax", "relu", "sigmoid", "hard"};
  return std::string(scores[static_cast<int>(std::get<0>(info.param))]) + "_" +
         normalizers[static_cast<int>(std::get<1>(info.param))] + "_" +
         name_of(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Choices, SweepOptions,
                         testing::Combine(testing::ValuesIn(score_kinds),
                                          testing::ValuesIn(normalizer_kinds),
                                          testing::ValuesIn(sweep_masks)),
                         choice_name);

}  // namespace
}  // namespace qkv::test
