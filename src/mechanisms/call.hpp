// What mechanisms with the operands of attention share: the checks of its arguments, and keys that
// are allowed by runs.
#pragma once

#include <cstdint>

#include "mechanisms/heads.hpp"
#include "qkv/attention.hpp"

namespace qkv {

// Checks query, key, value and result as attention does, and takes them in. Errors: shape,
// argument.
Status check_call(const ConstTensorView& query, const ConstTensorView& key,
                  const ConstTensorView& value, const TensorView& result, Heads& heads);

// Takes in a further operand, which must be there and must not add to the leading axes of those
// before it. Errors: shape, argument.
Status add_within(const char* name, const ConstTensorView& view, int own, Heads& heads);

// Whether an optional operand was given: an empty one has no data, but a rank.
inline bool is_given(const ConstTensorView& view) noexcept {
  return view.data != nullptr || view.shape.rank() > 0;
}

// The keys [first, last) that one query may see.
struct KeyRange {
  std::int32_t first;
  std::int32_t last;
};

// Query i of batch entry b may see the keys of ranges[b * step + i], which must outlive the mask.
Mask range_mask(const KeyRange* ranges, Index step);

// Rows of one head, [count, width] with any strides, to rows side by side and back. Row i of those
// is row order[i] of the head; row i without an order.
void gather_rows(const ConstTensorView& from, const std::int32_t* order, Index count, float* to);
void scatter_rows(const float* from, const std::int32_t* order, Index count, const TensorView& to);

}  // namespace qkv
