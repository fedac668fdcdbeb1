// The sort of blocks in Sinkhorn attention.
#pragma once

#include <cstdint>

#include "mechanisms/heads.hpp"
#include "qkv/content.hpp"

namespace qkv {

inline Index sinkhorn_blocks(Index tokens, Index block_size) noexcept {
  return tokens / block_size + (tokens % block_size != 0 ? 1 : 0);
}

// Divides the rows of matrix [size, size] by their sums, then the columns by theirs, `rounds`
// times: Sinkhorn 1964. Numbers are 0 or more; a sum of 0 divides nothing. `sums` holds `size`
// numbers.
void sinkhorn_normalize(double* matrix, Index size, Index rounds, double* sums) noexcept;

// The block that a row of the sort names, and what its keys and values are multiplied by.
struct BlockChoice {
  std::int32_t block;
  float factor;
};

// Sorts the blocks of every head into `choices` [heads, blocks], and into options.sorting where
// that has memory. The arguments have been checked, and there are tokens. Errors: memory.
Status sinkhorn_sort(const Heads& heads, const ConstTensorView& query, const ConstTensorView& key,
                     const SinkhornOptions& options, BlockChoice* choices) noexcept;

}  // namespace qkv
