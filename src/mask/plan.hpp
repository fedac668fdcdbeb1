// A mask bound to the sizes of one call: the block plan that the kernels follow, built tile by tile
// as they ask for it, so that it takes no memory of its own.
#pragma once

#include "mask/node.hpp"

namespace qkv {

class MaskPlan {
 public:
  // Errors: shape, argument, memory.
  Status bind(const Mask& mask, const MaskDims& dims) noexcept;

  // No pair is forbidden.
  bool everything() const noexcept { return rule_ == nullptr; }
  const MaskDims& dims() const noexcept { return dims_; }
  Index tile_words() const noexcept {
    return ceil_div(ceil_div(dims_.key_length, tile_size), tiles_in_word);
  }

  // States of the key tiles 64 * word ... for a band; bits beyond the last tile are clear.
  TileStates tiles(const Band& band, Index word) const noexcept;

  // Allowed pairs of a tile: bit j of rows[i] for query band.first + i and key 64 * tile + j. Bits
  // beyond the last key are clear. Returns the number of pairs.
  Index bits(const Band& band, Index tile, std::uint64_t* rows) const noexcept;

  // The keys of a query where the mask holds them as a list; null where it does not. See MaskRule.
  const Index* keys_of(Index query, Index& count) const noexcept {
    return everything() ? nullptr : rule_->keys_of(query, count);
  }

 private:
  RulePointer rule_;
  MaskDims dims_;
};

}  // namespace qkv
