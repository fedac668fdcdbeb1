// Masks read back from the plan that the kernel follows.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "qkv/mask.hpp"
#include "support/agree.hpp"
#include "support/dense_mask.hpp"

namespace qkv::test {

inline std::vector<std::uint8_t> read_back(const Mask& mask, const MaskSizes& sizes) {
  Tensor matrix;
  EXPECT_TRUE(ok(Tensor::create(
      {sizes.batch, sizes.heads, sizes.query_length, sizes.key_length}, matrix)));
  EXPECT_TRUE(ok(try_mask_matrix(mask, sizes, matrix)));
  std::vector<std::uint8_t> bits;
  bits.reserve(static_cast<std::size_t>(matrix.size()));
  for (Index i = 0; i < matrix.size(); ++i) {
    EXPECT_TRUE(matrix[i] == 0 || matrix[i] == 1) << matrix[i];
    bits.push_back(matrix[i] != 0 ? 1 : 0);
  }
  return bits;
}

// The statistics that a dense matrix has.
inline MaskStats count(const std::vector<std::uint8_t>& matrix, const MaskSizes& sizes) {
  MaskStats stats;
  const Index q = sizes.query_length, k = sizes.key_length;
  for (Index entry = 0; entry < sizes.batch * sizes.heads; ++entry) {
    for (Index row = 0; row < q; row += 64) {
      for (Index column = 0; column < k; column += 64) {
        const Index rows = std::min<Index>(64, q - row), columns = std::min<Index>(64, k - column);
        Index pairs = 0;
        for (Index i = row; i < row + rows; ++i) {
          for (Index j = column; j < column + columns; ++j) pairs += matrix[(entry * q + i) * k + j];
        }
        stats.pairs += pairs;
        stats.blocks += pairs > 0 ? 1 : 0;
        stats.full_blocks += pairs == rows * columns ? 1 : 0;
      }
    }
  }
  if (!matrix.empty()) {
    stats.density = static_cast<double>(stats.pairs) / static_cast<double>(matrix.size());
  }
  return stats;
}

// The plan's matrix and its statistics are those of the definition.
inline testing::AssertionResult follows(const MaskCase& given, const MaskSizes& sizes) {
  const std::vector<std::uint8_t> want = dense(given.allowed, sizes);
  const std::vector<std::uint8_t> got = read_back(given.mask, sizes);
  const Shape shape{sizes.batch, sizes.heads, sizes.query_length, sizes.key_length};
  if (got.size() != want.size()) return testing::AssertionFailure() << "sizes";
  for (std::size_t n = 0; n < got.size(); ++n) {
    if (got[n] != want[n]) {
      return testing::AssertionFailure()
             << given.name << " of " << shape.to_string() << ": pair "
             << place_in(shape, static_cast<Index>(n)) << " is " << int{got[n]} << ", expected "
             << int{want[n]};
    }
  }
  MaskStats stats;
  const testing::AssertionResult counted = ok(try_mask_stats(given.mask, sizes, stats));
  if (!counted) return counted;
  const MaskStats expected = count(want, sizes);
  if (stats.pairs != expected.pairs || stats.blocks != expected.blocks ||
      stats.full_blocks != expected.full_blocks || stats.density != expected.density) {
    return testing::AssertionFailure()
           << given.name << " of " << shape.to_string() << ": statistics " << stats.pairs << ", "
           << stats.density << ", " << stats.blocks << ", " << stats.full_blocks << "; expected "
           << expected.pairs << ", " << expected.density << ", " << expected.blocks << ", "
           << expected.full_blocks;
  }
  return testing::AssertionSuccess();
}

}  // namespace qkv::test
