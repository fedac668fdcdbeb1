// Masks that repeat along a diagonal: every stride-th key, with or without an end.
#include <algorithm>
#include <limits>

#include "mask/node.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// i - j is a multiple of `step` and lies in [lowest, highest].
class Periodic final : public SelfRule {
 public:
  enum class Kind { strided, dilated };

  Periodic(Kind kind, Index step, Index lowest, Index highest, Index radius)
      : kind_(kind), step_(std::min(step, none)), lowest_(lowest), highest_(highest), radius_(radius) {}

  Status check(const MaskDims&) const override {
    if (kind_ == Kind::strided && step_ < 1) {
      return argument_error("mask.strided: stride is 1 or more; saw ", step_);
    }
    if (kind_ == Kind::dilated && (step_ < 1 || radius_ < 0)) {
      return argument_error("mask.dilated: radius is 0 or more and dilation 1 or more; saw ",
                            radius_, " and ", step_);
    }
    return {};
  }

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    TileStates states;
    for (Index t = 0; t < tiles_in_word; ++t) {
      const Index key = (word * tiles_in_word + t) * tile_size;
      if (key >= dims.key_length) break;
      const Index last_key = std::min(key + tile_size, dims.key_length) - 1;
      // All differences i - j of the tile.
      const Index low = band.first - last_key;
      const Index high = band.first + band.rows - 1 - key;
      const Index reach = std::min(high, highest_);
      const Index multiple = floor_div(reach, step_) * step_;
      if (multiple >= std::max(low, lowest_)) states.any |= std::uint64_t{1} << t;
      const bool inside = low >= lowest_ && high <= highest_;
      if (inside && (step_ == 1 || (low == 0 && high == 0))) states.all |= std::uint64_t{1} << t;
    }
    return states;
  }

  void bits(const MaskDims&, const Band& band, Index tile, std::uint64_t* rows) const override {
    for (Index i = 0; i < band.rows; ++i) {
      const Index query = band.first + i;
      const Index base = tile * tile_size;
      // Keys of the row: j = query - m step within both limits, and within the tile.
      const Index lowest_key = highest_ == none ? base : std::max(base, query - highest_);
      const Index highest_key = lowest_ == -none ? base + tile_size - 1
                                                 : std::min(base + tile_size - 1, query - lowest_);
      rows[i] = 0;
      Index key = query - floor_div(query - lowest_key, step_) * step_;  // first at or after it
      for (; key <= highest_key; key += step_) rows[i] |= std::uint64_t{1} << (key - base);
    }
  }

  static constexpr Index none = std::numeric_limits<Index>::max() / 4;

 private:
  Kind kind_;
  Index step_, lowest_, highest_, radius_;
};

}  // namespace

namespace mask {

Mask strided(Index stride, bool causal) {
  return make_mask<Periodic>(Periodic::Kind::strided, stride,
                                         causal ? 0 : -Periodic::none, Periodic::none, 0);
}

Mask dilated(Index radius, Index dilation) {
  // A reach beyond any length means no end; the product of the two might not fit. Numbers that
  // check refuses are not multiplied at all.
  const bool valid = dilation > 0 && radius >= 0;
  const bool endless = valid && radius > Periodic::none / dilation;
  const Index reach = endless ? Periodic::none : valid ? radius * dilation : 0;
  return make_mask<Periodic>(Periodic::Kind::dilated, dilation, -reach, reach, radius);
}

}  // namespace mask
}  // namespace qkv
