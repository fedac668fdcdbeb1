// Attention over fewer keys than tokens.
//
// Shapes are those of attention. Leading axes of projections and kernels broadcast to those of the
// result. Errors of all: shape, argument, memory.
#pragma once

#include "qkv/attention.hpp"

namespace qkv {

// Linformer, Wang et al. 2020: softmax(Q (E K)^T / sqrt(D)) (F V). K representative keys in general:
// any matrices of K rows, such as the means of clusters. Without a causal form.
struct LinformerOptions {
  ConstTensorView key_projection;    // E [K, Lk], or [..., K, Lk]
  ConstTensorView value_projection;  // F as E; a null view uses E
};
QKV_API Status try_linformer(const ConstTensorView& query, const ConstTensorView& key,
                             const ConstTensorView& value, const TensorView& result,
                             const LinformerOptions& options) noexcept;

// Memory-compressed attention, Liu et al. 2018: keys and values pass a convolution along the sequence
// before attention. The sequence is padded with zeros in front, so that the last window ends with the
// last key: window w covers keys [last - kernel_size + 1, last], last = Lk - 1 - (windows - 1 - w)
// stride, windows = ceil(Lk / stride). Causal: query i sees window w if last <= i, and a query that
// sees none gives zeros unless there is a null key.
struct CompressedOptions {
  Index stride = 0;              // 1 or more
  Index kernel_size = 0;         // 1 or more
  ConstTensorView key_kernel;    // [D, D, kernel_size], out before in, or [..., D, D, kernel_size]
  ConstTensorView value_kernel;  // [Dv, Dv, kernel_size], or [..., Dv, Dv, kernel_size]
  ConstTensorView null_key;      // [D]: one more key that every query sees; or null, as its value
  ConstTensorView null_value;    // [Dv]
  bool causal = false;
};
QKV_API Status try_compressed_attention(const ConstTensorView& query, const ConstTensorView& key,
                                        const ConstTensorView& value, const TensorView& result,
                                        const CompressedOptions& options) noexcept;

#if defined(__cpp_exceptions)

inline Tensor linformer(const ConstTensorView& query, const ConstTensorView& key,
                        const ConstTensorView& value, const LinformerOptions& options) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_linformer(query, key, value, result, options));
  return result;
}

inline Tensor compressed_attention(const ConstTensorView& query, const ConstTensorView& key,
                                   const ConstTensorView& value, const CompressedOptions& options) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_compressed_attention(query, key, value, result, options));
  return result;
}

#endif

}  // namespace qkv
