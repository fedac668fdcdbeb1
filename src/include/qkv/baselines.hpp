// What attention is compared with.
//
// Errors of all: shape, argument, memory.
#pragma once

#include "qkv/attention.hpp"

namespace qkv {

// result[i] = bias + sum over t of weight[:, :, t] x[i + t - left], zeros outside: a convolution as
// deep learning has it, of stride 1 and as long as its input. x [..., L, in], weight [out, in, k],
// k of 1 or more, bias [out] or null, result [..., L, out]. left, 0 to k - 1: absent is
// (k - 1) / 2, k - 1 is causal. With k = 2L - 1 it is a fully connected layer over the whole window. One matrix
// product; memory for the padded sequence and the weights in its order. Waibel et al. 1989.
QKV_API Status try_conv1d(const ConstTensorView& x, const ConstTensorView& weight,
                          const ConstTensorView& bias, const TensorView& result,
                          std::optional<Index> left = std::nullopt) noexcept;

// Elman 1990: h[t] = tanh(U x[t] + W h[t - 1] + bias), h[-1] = 0 or `start`. x [..., L, in],
// input_weight [H, in], hidden_weight [H, H], bias [H] or null, start [H] or [..., H] or null, of
// axes that broadcast to those of x; result [..., L, H].
QKV_API Status try_rnn(const ConstTensorView& x, const ConstTensorView& input_weight,
                       const ConstTensorView& hidden_weight, const ConstTensorView& bias,
                       const TensorView& result, const ConstTensorView& start = {}) noexcept;

// Cordonnier et al. 2020: k heads, each fixed on one relative offset, are a convolution. Writes the
// bias that fixes head h of `result` [k, L, L] on key i + h - left: 0 there, -infinity elsewhere;
// where there is no such key, the query sees nothing and gets zeros. left: 0 to k - 1.
QKV_API Status try_offset_heads(const TensorView& result, Index left) noexcept;

#if defined(__cpp_exceptions)

inline Tensor conv1d(const ConstTensorView& x, const ConstTensorView& weight,
                     const ConstTensorView& bias = {}, std::optional<Index> left = std::nullopt) {
  Shape shape = x.shape;
  if (shape.rank() > 0 && shape.rank() <= Shape::max_rank && weight.shape.rank() > 0) {
    shape[shape.rank() - 1] = weight.shape[0];
  }
  Tensor result(shape);
  raise(try_conv1d(x, weight, bias, result, left));
  return result;
}

inline Tensor rnn(const ConstTensorView& x, const ConstTensorView& input_weight,
                  const ConstTensorView& hidden_weight, const ConstTensorView& bias = {},
                  const ConstTensorView& start = {}) {
  Shape shape = x.shape;
  if (shape.rank() > 0 && shape.rank() <= Shape::max_rank && input_weight.shape.rank() > 0) {
    shape[shape.rank() - 1] = input_weight.shape[0];
  }
  Tensor result(shape);
  raise(try_rnn(x, input_weight, hidden_weight, bias, result, start));
  return result;
}

inline Tensor offset_heads(Index heads, Index length, Index left) {
  Tensor result(Shape{heads, length, length});
  raise(try_offset_heads(result, left));
  return result;
}

#endif

}  // namespace qkv
