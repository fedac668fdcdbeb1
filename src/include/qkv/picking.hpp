// Soft and hard attention, to items and to places.
//
// Item-wise soft attention is try_attention; item-wise hard attention is try_attention with
// normalizer::Hard or normalizer::Sample. Here are attention pooling and the two of places.
// Leading axes broadcast. A place that is NaN gives NaN; what a result does not read never reaches
// it.
// Errors of all: shape, argument, memory.
#pragma once

#include "qkv/attention.hpp"

namespace qkv {

// n to 1 (or to m): rows of x weighed by softmax(query . x / sqrt(D)). query [m, D] or [..., m, D],
// learned or given; result [..., m, D].
QKV_API Status try_attention_pooling(const ConstTensorView& query, const ConstTensorView& x,
                                     const TensorView& result) noexcept;

// Location-wise soft, one axis: row i of the result is the mean of x's rows weighed by a Gaussian
// around centers[i] (a position from 0, fractions allowed) of standard deviation widths[i], which is
// above 0. The weights are divided by their sum, also where the centre lies outside; weights that
// float32 holds as 0 are not computed, so time follows the widths. x [..., L, D], centers and widths
// [m] or [..., m], result [..., m, D]. L = 0 gives zeros. As the filters of DRAW, Gregor et al. 2015.
QKV_API Status try_gaussian_window(const ConstTensorView& x, const ConstTensorView& centers,
                                   const ConstTensorView& widths,
                                   const TensorView& result) noexcept;

// Location-wise soft, two axes: Spatial Transformer, Jaderberg et al. 2015. x [..., H, W, C]; theta
// [2, 3] or [..., 2, 3] carries places (column, row, 1) of the result, both axes from -1 to 1 (the
// centres of the outer cells, as align_corners = true; 0 where there is one cell), to places (column,
// row) of x, measured likewise; read bilinearly, 0 outside. result [..., h, w, C] is of any size.
QKV_API Status try_spatial_transform(const ConstTensorView& x, const ConstTensorView& theta,
                                     const TensorView& result) noexcept;

// Location-wise hard: crops a glimpse. x [..., H, W, C], center [2] or [..., 2] (row, column; whole
// numbers), result [..., h, w, C] whose middle cell (h / 2, w / 2) lies on the centre; 0 outside.
// Recurrent models of visual attention, Mnih et al. 2014.
QKV_API Status try_glimpse(const ConstTensorView& x, const ConstTensorView& center,
                           const TensorView& result) noexcept;

// Shapes of the results. Errors: shape, argument.
QKV_API Status gaussian_window_shape(const ConstTensorView& x, const ConstTensorView& centers,
                                     const ConstTensorView& widths, Shape& shape) noexcept;
QKV_API Status spatial_transform_shape(const ConstTensorView& x, const ConstTensorView& theta,
                                       Index height, Index width, Shape& shape) noexcept;
QKV_API Status glimpse_shape(const ConstTensorView& x, const ConstTensorView& center, Index height,
                             Index width, Shape& shape) noexcept;

#if defined(__cpp_exceptions)

inline Tensor attention_pooling(const ConstTensorView& query, const ConstTensorView& x) {
  Shape shape;
  raise(attention_shape(query, x, x, shape));
  Tensor result(shape);
  raise(try_attention_pooling(query, x, result));
  return result;
}

inline Tensor gaussian_window(const ConstTensorView& x, const ConstTensorView& centers,
                              const ConstTensorView& widths) {
  Shape shape;
  raise(gaussian_window_shape(x, centers, widths, shape));
  Tensor result(shape);
  raise(try_gaussian_window(x, centers, widths, result));
  return result;
}

inline Tensor spatial_transform(const ConstTensorView& x, const ConstTensorView& theta,
                                Index height, Index width) {
  Shape shape;
  raise(spatial_transform_shape(x, theta, height, width, shape));
  Tensor result(shape);
  raise(try_spatial_transform(x, theta, result));
  return result;
}

inline Tensor glimpse(const ConstTensorView& x, const ConstTensorView& center, Index height,
                      Index width) {
  Shape shape;
  raise(glimpse_shape(x, center, height, width, shape));
  Tensor result(shape);
  raise(try_glimpse(x, center, result));
  return result;
}

#endif

}  // namespace qkv
