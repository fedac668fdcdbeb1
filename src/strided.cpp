#include "strided.hpp"

namespace qkv {

bool broadcast(const Shape& a, const Shape& b, Shape& result) noexcept {
  if (a.rank() > Shape::max_rank || b.rank() > Shape::max_rank) return false;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  result = longer;
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    const int at = longer.rank() - shorter.rank() + axis;
    const Index size = shorter[axis];
    if (result[at] == size || size == 1) continue;
    if (result[at] != 1) return false;
    result[at] = size;
  }
  return true;
}

bool broadcast_strides(const Shape& from, const Strides& strides, const Shape& shape,
                       Strides& result) noexcept {
  const int extra = shape.rank() - from.rank();
  if (extra < 0 || shape.rank() > Shape::max_rank) return false;
  result = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < extra) {
      result[axis] = 0;
    } else if (from[axis - extra] == shape[axis]) {
      result[axis] = strides[axis - extra];
    } else if (from[axis - extra] == 1) {
      result[axis] = 0;
    } else {
      return false;
    }
  }
  return true;
}

void copy_elements(const ConstTensorView& source, const TensorView& target) noexcept {
  const int rank = source.shape.rank();
  if (rank == 0) {
    *target.data = *source.data;
    return;
  }
  const Index width = source.shape.back(0);
  const Index from_step = source.strides.back(0);
  const Index to_step = target.strides.back(0);
  for_each_row(source.shape, source.strides, [&](Index row, Index from) {
    const Index to = offset_of(row, target.shape, target.strides, rank - 1);
    const float* read = source.data + from;
    float* write = target.data + to;
    for (Index i = 0; i < width; ++i) write[i * to_step] = read[i * from_step];
  });
}

}  // namespace qkv
