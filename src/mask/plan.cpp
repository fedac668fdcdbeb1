#include "mask/plan.hpp"

#include <bit>

#include "check.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {

const Index* MaskRule::keys_of(Index, Index&) const { return nullptr; }

Status MaskPlan::bind(const Mask& mask, const MaskDims& dims) noexcept {
  return guarded([&]() -> Status {
    dims_ = dims;
    rule_.reset();
    if (!mask.all()) QKV_TRY(mask.node()->bind(dims_, rule_));
    return {};
  });
}

TileStates MaskPlan::tiles(const Band& band, Index word) const noexcept {
  const Index count = ceil_div(dims_.key_length, tile_size) - word * tiles_in_word;
  const std::uint64_t valid = bit_range(0, count);
  if (everything()) return {valid, valid};
  TileStates states = rule_->tiles(dims_, band, word);
  states.any &= valid;
  states.all &= states.any;
  return states;
}

Index MaskPlan::bits(const Band& band, Index tile, std::uint64_t* rows) const noexcept {
  const std::uint64_t valid = bit_range(0, dims_.key_length - tile * tile_size);
  if (everything()) {
    for (Index i = 0; i < band.rows; ++i) rows[i] = valid;
  } else {
    rule_->bits(dims_, band, tile, rows);
  }
  Index pairs = 0;
  for (Index i = 0; i < band.rows; ++i) {
    rows[i] &= valid;
    pairs += std::popcount(rows[i]);
  }
  return pairs;
}

namespace {

// Calls body(band, tile, rows, pairs) for every tile of the plan that holds an allowed pair.
template <class Body>
void for_each_tile(const MaskPlan& plan, const Body& body) {
  const MaskDims& dims = plan.dims();
  std::uint64_t rows[tile_size];
  for (Index batch = 0; batch < dims.batch(); ++batch) {
    for (Index head = 0; head < dims.heads(); ++head) {
      for (Index first = 0; first < dims.query_length; first += tile_size) {
        const Index rest = dims.query_length - first;
        const Band band{batch, head, first, rest < tile_size ? rest : tile_size};
        for (Index word = 0; word < plan.tile_words(); ++word) {
          std::uint64_t any = plan.tiles(band, word).any;
          for (; any != 0; any &= any - 1) {
            const Index tile = word * tiles_in_word + std::countr_zero(any);
            const Index pairs = plan.bits(band, tile, rows);
            if (pairs > 0) body(band, tile, rows, pairs);
          }
        }
      }
    }
  }
}

Status bind_sizes(const Mask& mask, const MaskSizes& sizes, MaskPlan& plan) {
  const Index all[] = {sizes.batch, sizes.heads, sizes.query_length, sizes.key_length};
  if (Shape(all, 4).elements() < 0) {
    return shape_error("a mask of ", sizes.query_length, " queries, ", sizes.key_length, " keys, ",
                       sizes.heads, " heads and batch ", sizes.batch, " is not possible");
  }
  return plan.bind(mask, {sizes.query_length, sizes.key_length, {sizes.batch, sizes.heads}});
}

}  // namespace

Status try_mask_matrix(const Mask& mask, const MaskSizes& sizes,
                       const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    MaskPlan plan;
    QKV_TRY(bind_sizes(mask, sizes, plan));
    const Shape expected{sizes.batch, sizes.heads, sizes.query_length, sizes.key_length};
    if (!(result.shape == expected)) {
      return shape_error("the mask matrix has shape ", expected, ", the result ", result.shape);
    }
    QKV_TRY(check_view("result", result, 4));
    const Strides& strides = result.strides;
    for_each_row(result.shape, strides, [&](Index, Index offset) {
      for (Index j = 0; j < sizes.key_length; ++j) result.data[offset + j * strides[3]] = 0;
    });
    for_each_tile(plan, [&](const Band& band, Index tile, const std::uint64_t* rows, Index) {
      for (Index i = 0; i < band.rows; ++i) {
        float* row = result.data + band.batch * strides[0] + band.head * strides[1] +
                     (band.first + i) * strides[2];
        for (std::uint64_t word = rows[i]; word != 0; word &= word - 1) {
          row[(tile * tile_size + std::countr_zero(word)) * strides[3]] = 1;
        }
      }
    });
    return {};
  });
}

Status try_mask_stats(const Mask& mask, const MaskSizes& sizes, MaskStats& result) noexcept {
  return guarded([&]() -> Status {
    MaskPlan plan;
    QKV_TRY(bind_sizes(mask, sizes, plan));
    MaskStats stats;
    for_each_tile(plan, [&](const Band& band, Index tile, const std::uint64_t*, Index pairs) {
      const Index rest = sizes.key_length - tile * tile_size;
      stats.pairs += pairs;
      stats.blocks += 1;
      stats.full_blocks += pairs == band.rows * (rest < tile_size ? rest : tile_size) ? 1 : 0;
    });
    const double all = static_cast<double>(sizes.query_length) *
                       static_cast<double>(sizes.key_length) * static_cast<double>(sizes.heads) *
                       static_cast<double>(sizes.batch);
    stats.density = all > 0 ? static_cast<double>(stats.pairs) / all : 0;
    result = stats;
    return {};
  });
}

}  // namespace qkv
