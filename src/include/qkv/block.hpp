// A self-attention block that can be stacked.
#pragma once

#include "qkv/attention.hpp"
#include "qkv/mixers.hpp"

namespace qkv {

// x times: whether it is positive; the share of a normal distribution below x (Hendrycks and Gimpel
// 2016); 1 / (1 + exp(-x)), also called swish (Elfwing et al. 2017).
enum class Activation { relu, gelu, silu };

// A layer of a Transformer encoder, Vaswani et al. 2017: self-attention among the tokens, then a
// network on each token, both with a residual and a layer norm. The names are those of
// torch.nn.TransformerEncoderLayer; weights are [out, in], biases may be null.
//
//   x = norm1(x + attention(x)), x = norm2(x + linear2(activation(linear1(x))))
//   x = x + attention(norm1(x)), x = x + linear2(activation(linear1(norm2(x))))   if norm_first
struct SelfAttentionBlockOptions {
  Index num_heads = 1;              // divides D
  ConstTensorView in_proj_weight;   // [3D, D]: queries, keys, values
  ConstTensorView in_proj_bias;     // [3D]
  ConstTensorView out_proj_weight;  // [D, D]
  ConstTensorView out_proj_bias;    // [D]
  ConstTensorView linear1_weight;   // [F, D]
  ConstTensorView linear1_bias;     // [F]
  ConstTensorView linear2_weight;   // [D, F]
  ConstTensorView linear2_bias;     // [D]
  ConstTensorView norm1_weight, norm1_bias, norm2_weight, norm2_bias;  // [D]; null: ones and zeros
  Activation activation = Activation::relu;
  bool norm_first = false;
  float epsilon = 1e-5f;  // of both layer norms
  Mask mask;              // of [batch, num_heads, L, L]
  TensorView weights;     // [..., num_heads, L, L] of the attention, written when it has memory
};

// x [..., L, D], result as x: give it to the next block. No output may overlap x or another output.
// Errors: shape, argument, memory.
QKV_API Status try_self_attention_block(const ConstTensorView& x, const TensorView& result,
                                        const SelfAttentionBlockOptions& options) noexcept;

// Shape of the weights, [..., num_heads, L, L]. Errors: shape.
QKV_API Status block_weights_shape(const ConstTensorView& x, Index num_heads,
                                   Shape& shape) noexcept;

#if defined(__cpp_exceptions)
inline Tensor self_attention_block(const ConstTensorView& x,
                                   const SelfAttentionBlockOptions& options) {
  Tensor result(x.shape);
  raise(try_self_attention_block(x, result, options));
  return result;
}
#endif

}  // namespace qkv
