#include "mechanisms/chunk_mask.hpp"

#include <algorithm>

#include "mask/node.hpp"

namespace qkv {
namespace {

class ChunkMask final : public SelfRule {
 public:
  explicit ChunkMask(const Chunks& chunks) : chunks_(chunks) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    const Index own = chunks_.before + band.first;  // the key that is the band's first query
    const auto [low, high] = range(keys_of(band) + own, band.rows);
    TileStates states;
    for (Index bit = 0; bit < tiles_in_word; ++bit) {
      const Index first = (word * tiles_in_word + bit) * tile_size;
      if (first >= dims.key_length) break;
      const Index count = std::min(tile_size, dims.key_length - first);
      const auto [lowest, highest] = range(keys_of(band) + first, count);
      const bool apart = first >= own + band.rows || first + count <= own;
      const bool any = lowest < (chunks_.causal ? high : chunks_.tokens);
      const bool all = highest < (chunks_.causal ? low : chunks_.tokens) && apart;
      states.any |= std::uint64_t{any} << bit;
      states.all |= std::uint64_t{all} << bit;
    }
    return states;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile,
            std::uint64_t* rows) const override {
    const Index first = tile * tile_size, count = std::min(tile_size, dims.key_length - first);
    const Index* keys = keys_of(band);
    const std::uint64_t filled = below(keys + first, count, chunks_.tokens);
    for (Index i = 0; i < band.rows; ++i) {
      const Index own = chunks_.before + band.first + i;
      if (chunks_.causal) {
        rows[i] = keys[own] < chunks_.tokens ? below(keys + first, count, keys[own]) : 0;
      } else {
        rows[i] = filled & ~bit_range(own - first, own - first + 1);
      }
    }
  }

 private:
  Status check(const MaskDims&) const override { return {}; }

  const Index* keys_of(const Band& band) const { return chunks_.slots + band.head * chunks_.size; }

  struct Range {
    Index low, high;
  };
  static Range range(const Index* positions, Index count) {
    Range range{positions[0], positions[0]};
    for (Index i = 1; i < count; ++i) {
      range.low = std::min(range.low, positions[i]);
      range.high = std::max(range.high, positions[i]);
    }
    return range;
  }

  // Without branches: positions are in no order that a processor could foresee.
  static std::uint64_t below(const Index* positions, Index count, Index limit) {
    std::uint64_t word = 0;
    for (Index j = 0; j < count; ++j) word |= std::uint64_t{positions[j] < limit} << j;
    return word;
  }

  const Chunks chunks_;
};

}  // namespace

Mask chunk_mask(const Chunks& chunks) { return make_mask<ChunkMask>(chunks); }

}  // namespace qkv
