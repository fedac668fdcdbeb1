// Every backend over every pair of sizes, under masks that lead through every path of the kernel.
#include <gtest/gtest.h>

#include "support/sweep.hpp"

namespace qkv::test {
namespace {

// Two of the four sizes run over the whole list, the others stay.
struct Slice {
  const char* name;
  Index queries, keys, width, value_width;  // -1: the first that varies; -2: the second
};

constexpr Slice slices[] = {
    {"QueriesAndKeys", -1, -2, 5, 3},        {"KeysAndWidth", 9, -1, -2, 2},
    {"KeysAndValueWidth", 9, -1, 3, -2},     {"QueriesAndWidth", -1, 17, -2, 4},
    {"QueriesAndValueWidth", -1, 17, 2, -2}, {"WidthAndValueWidth", 5, 31, -1, -2},
};

class Sweep : public testing::TestWithParam<std::tuple<Slice, SweepMask>> {};

TEST_P(Sweep, AgreesWithTheReferenceAndWithScalar) {
  const auto& [slice, mask] = GetParam();
  std::uint64_t seed = 0;
  for (const Index first : sweep_sizes) {
    for (const Index second : sweep_sizes) {
      // Of the pairs of two long sizes, which take most of the time, those with 129 are enough.
      if (first > 65 && second > 65 && first != 129 && second != 129) continue;
      const auto size = [&](Index given) {
        return given == -1 ? first : given == -2 ? second : given;
      };
      PlainCall call = sized(size(slice.queries), size(slice.keys), size(slice.width),
                          size(slice.value_width));
      fill(call, ++seed);
      set_mask(call, mask);
      Asked asked;
      asked.further = slice.queries == -1 || slice.keys == -1;
      asked.inputs = layouts[seed % std::size(layouts)];
      asked.results = layouts[seed / 2 % std::size(layouts)];
      if (!sweep(call, asked)) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Sweep,
                         testing::Combine(testing::ValuesIn(slices), testing::ValuesIn(sweep_masks)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  name_of(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace qkv::test
