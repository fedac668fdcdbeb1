// The kernels that bring rows into panels and groups and back: exact, and within what they are given.
#include <gtest/gtest.h>

#include "support/numbers.hpp"
#include "support/tables.hpp"

namespace qkv::test {
namespace {

constexpr float untouched = 12345;
constexpr Index widths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33};

class LayoutKernel : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
};

// Rows `step` apart in a block that ends with the last row's last number.
Block<float> spread(const std::vector<float>& rows, Index count, Index width, Index step) {
  Block<float> block(count > 0 ? (count - 1) * step + width : 0, untouched);
  for (Index i = 0; i < count; ++i) {
    for (Index d = 0; d < width; ++d) {
      block[i * step + d] = rows[static_cast<std::size_t>(i * width + d)];
    }
  }
  return block;
}

TEST_P(LayoutKernel, PackPutsRowsIntoLanesAndZerosWhereThereIsNone) {
  Numbers numbers(1);
  const Index lanes = kernels_.lanes;
  for (Index count = 0; count <= lanes; ++count) {
    for (const Index width : widths) {
      const std::vector<float> rows = numbers.list(count * width);
      Block<float> block = spread(rows, count, width, width + 3);
      Block<float> panel(width * lanes, untouched);
      kernels_.pack(panel.data(), block.data(), width + 3, count, width, 0.3f);
      std::vector<float> want;
      for (Index d = 0; d < width; ++d) {
        for (Index i = 0; i < lanes; ++i) {
          want.push_back(i < count ? rows[static_cast<std::size_t>(i * width + d)] * 0.3f : 0);
        }
      }
      ASSERT_TRUE(same_bits(panel.values(), want)) << count << " rows of " << width;
    }
  }
}

TEST_P(LayoutKernel, UnpackWritesTheRowsAndNothingElse) {
  Numbers numbers(2);
  const Index lanes = kernels_.lanes;
  for (Index count = 0; count <= lanes; ++count) {
    for (const Index width : widths) {
      Block<float> panel(numbers.list(width * lanes));
      Block<float> divisor(numbers.list(lanes, 1, 3));
      for (const bool divided : {false, true}) {
        Block<float> rows = spread(std::vector<float>(static_cast<std::size_t>(count * width)), count, width,
                      width + 2);
        Block<float> want = spread(std::vector<float>(static_cast<std::size_t>(count * width)),
                                   count, width, width + 2);
        for (Index i = 0; i < count; ++i) {
          for (Index d = 0; d < width; ++d) {
            const float sum = panel[d * lanes + i];
            want[i * (width + 2) + d] = divided ? sum / divisor[i] : sum;
          }
        }
        kernels_.unpack(rows.data(), width + 2, panel.data(), divided ? divisor.data() : nullptr,
                        count, width);
        ASSERT_TRUE(same_bits(rows.values(), want.values())) << count << " rows of " << width;
      }
    }
  }
}

TEST_P(LayoutKernel, GroupInterleavesTheKeysOfAGroup) {
  Numbers numbers(3);
  for (const Index count : {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 25, 63, 64}) {
    for (const Index width : widths) {
      const std::vector<float> rows = numbers.list(count * width);
      Block<float> block = spread(rows, count, width, width + 1);
      Block<float> packed(count * width, untouched);
      kernels_.group(packed.data(), block.data(), width + 1, count, width);
      ASSERT_TRUE(same_bits(packed.values(), packed_keys(kernels_, rows, count, width).values()))
          << count << " rows of " << width;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, LayoutKernel, testing::ValuesIn(kernel_tables()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace qkv::test
