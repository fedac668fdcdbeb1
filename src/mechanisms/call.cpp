#include "mechanisms/call.hpp"

#include <algorithm>
#include <cstring>

#include "attention/problem.hpp"
#include "mask/node.hpp"
#include "text.hpp"

namespace qkv {
namespace {

class RangeMask final : public SelfRule {
 public:
  RangeMask(const KeyRange* ranges, Index step) : ranges_(ranges), step_(step) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    Index first = dims.key_length, last = 0;            // of any query
    Index all_first = 0, all_last = dims.key_length;  // of every one
    for (Index i = 0; i < band.rows; ++i) {
      const KeyRange keys = at(band, i);
      if (keys.first < keys.last) {
        first = std::min<Index>(first, keys.first);
        last = std::max<Index>(last, keys.last);
      }
      all_first = std::max<Index>(all_first, keys.first);
      all_last = std::min<Index>(all_last, keys.last);
    }
    const Index base = word * tiles_in_word;
    // The last tile may be short.
    const Index end = all_last == dims.key_length ? ceil_div(all_last, tile_size)
                                                  : all_last / tile_size;
    TileStates states;
    if (first < last) {
      states.any = bit_range(first / tile_size - base, ceil_div(last, tile_size) - base);
    }
    if (all_first < all_last) {
      states.all = bit_range(ceil_div(all_first, tile_size) - base, end - base);
    }
    return states;
  }

  void bits(const MaskDims&, const Band& band, Index tile, std::uint64_t* rows) const override {
    const Index base = tile * tile_size;
    for (Index i = 0; i < band.rows; ++i) {
      const KeyRange keys = at(band, i);
      rows[i] = bit_range(keys.first - base, keys.last - base);
    }
  }

 private:
  Status check(const MaskDims&) const override { return {}; }
  KeyRange at(const Band& band, Index i) const noexcept {
    return ranges_[band.batch * step_ + band.first + i];
  }

  const KeyRange* ranges_;
  Index step_;
};

void copy_row(const float* from, Index from_step, Index width, float* to, Index to_step) noexcept {
  if (from_step == 1 && to_step == 1 && width > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(width) * sizeof(float));
    return;
  }
  for (Index d = 0; d < width; ++d) to[d * to_step] = from[d * from_step];
}

}  // namespace

Status check_call(const ConstTensorView& query, const ConstTensorView& key,
                  const ConstTensorView& value, const TensorView& result, Heads& heads) {
  Problem problem;
  QKV_TRY(resolve(query, key, value, result, {}, problem));
  QKV_TRY(heads.add("query", query, 2));
  QKV_TRY(heads.add("key", key, 2));
  return heads.add("value", value, 2);
}

Status add_within(const char* name, const ConstTensorView& view, int own, Heads& heads) {
  if (!is_given(view)) return argument_error(name, ": expected a tensor, saw none");
  const Shape before = heads.leading();
  QKV_TRY(heads.add(name, view, own));
  if (heads.leading() == before) return {};
  return shape_error(name, ": leading axes of ", view.shape, " do not broadcast to ", before,
                     ", those of the result");
}

Mask range_mask(const KeyRange* ranges, Index step) { return make_mask<RangeMask>(ranges, step); }

void gather_rows(const ConstTensorView& from, const std::int32_t* order, Index count, float* to) {
  const Index width = from.shape[1];
  for (Index i = 0; i < count; ++i, to += width) {
    const float* row = from.data + (order != nullptr ? order[i] : i) * from.strides[0];
    copy_row(row, from.strides[1], width, to, 1);
  }
}

void scatter_rows(const float* from, const std::int32_t* order, Index count, const TensorView& to) {
  const Index width = to.shape[1];
  for (Index i = 0; i < count; ++i, from += width) {
    float* row = to.data + (order != nullptr ? order[i] : i) * to.strides[0];
    copy_row(from, 1, width, row, to.strides[1]);
  }
}

}  // namespace qkv
