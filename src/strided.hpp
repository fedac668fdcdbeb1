// Walking and broadcasting strided shapes.
#pragma once

#include "qkv/tensor.hpp"

namespace qkv {

// NumPy broadcasting of two shapes, aligned at their ends. False when two sizes differ and neither
// is 1, or the rank is too high.
bool broadcast(const Shape& a, const Shape& b, Shape& result) noexcept;

// Strides with which `view` reads as if it had `shape`: 0 along repeated axes, aligned at the end.
// False when it does not broadcast to `shape`.
bool broadcast_strides(const Shape& from, const Strides& strides, const Shape& shape,
                       Strides& result) noexcept;

// Offset in elements of the `linear`-th entry (row-major order) of the leading axes `shape`.
inline Index offset_of(Index linear, const Shape& shape, const Strides& strides,
                       int axes) noexcept {
  Index offset = 0;
  for (int axis = axes - 1; axis >= 0; --axis) {
    offset += linear % shape[axis] * strides[axis];
    linear /= shape[axis];
  }
  return offset;
}

// Calls body(linear, offset) for each vector along the last axis.
template <class Body>
void for_each_row(const Shape& shape, const Strides& strides, const Body& body) {
  Index rows = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) rows *= shape[axis];
  for (Index row = 0; row < rows; ++row) {
    body(row, offset_of(row, shape, strides, shape.rank() - 1));
  }
}

// Copies element by element between two views of one shape.
void copy_elements(const ConstTensorView& source, const TensorView& target) noexcept;

}  // namespace qkv
