// The projection in front of and behind attention.
#pragma once

#include "qkv/export.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

// result [..., L, outputs] = x [..., L, inputs] weight^T + bias. weight is [outputs, inputs], as
// PyTorch stores it; a weight [inputs, outputs] is read through its strides. bias is [outputs], or a
// null view. Any strides; the result must not overlap the others. Errors: shape, argument, memory.
QKV_API Status try_linear(const ConstTensorView& x, const ConstTensorView& weight,
                          const ConstTensorView& bias, const TensorView& result) noexcept;

#if defined(__cpp_exceptions)
inline Tensor linear(const ConstTensorView& x, const ConstTensorView& weight,
                     const ConstTensorView& bias = {}) {
  Shape shape = x.shape;
  if (shape.rank() > 0 && shape.rank() <= Shape::max_rank && weight.shape.rank() > 0) {
    shape[shape.rank() - 1] = weight.shape[0];
  }
  Tensor result(shape);
  raise(try_linear(x, weight, bias, result));
  return result;
}
#endif

}  // namespace qkv
