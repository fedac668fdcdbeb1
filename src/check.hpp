// Checks that every operation makes of the views it is given.
#pragma once

#include "qkv/tensor.hpp"
#include "text.hpp"

namespace qkv {

// A possible shape of rank `least` or more, with strides of that rank and data unless it is empty.
inline Status check_view(const char* name, const ConstTensorView& view, int least) {
  const Shape& shape = view.shape;
  if (shape.rank() < least || shape.rank() > Shape::max_rank) {
    return shape_error(name, ": expected rank ", least, " to ", Shape::max_rank, ", saw rank ",
                       shape.rank(), " in shape ", shape);
  }
  const Index elements = shape.elements();
  if (elements < 0) return shape_error(name, ": a tensor of shape ", shape, " is not possible");
  if (view.strides.rank() != shape.rank()) {
    return shape_error(name, ": ", view.strides.rank(), " strides for shape ", shape);
  }
  if (view.data == nullptr && elements > 0) {
    return argument_error(name, ": shape ", shape, " without data");
  }
  return {};
}

// The same for booleans.
inline Status check_view(const char* name, const BoolView& view, int least) {
  static constexpr float some = 0;  // whether there is data is all that matters
  return check_view(name, ConstTensorView(view.data != nullptr ? &some : nullptr, view.shape,
                                          view.strides), least);
}

// The same for one exact shape.
inline Status check_shape(const char* name, const ConstTensorView& view, const Shape& expected) {
  if (!(view.shape == expected)) {
    return shape_error(name, ": expected shape ", expected, ", saw ", view.shape);
  }
  return check_view(name, view, 0);
}

}  // namespace qkv
