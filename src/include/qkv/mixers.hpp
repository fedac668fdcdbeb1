// Mixing tokens without comparing queries with keys.
//
// Errors of all: shape, argument, memory.
#pragma once

#include "qkv/attention.hpp"

namespace qkv {

// Synthesizer, Tay et al. 2020: softmax(scores) V where the scores come from each token alone or
// from nothing. Those that are given are added up. Every table may have a head axis in front, of
// one head or as many as the result has; then each head has its own scores. Tables may be longer
// than the sequence: `most` is L or more.
struct SynthesizerOptions {
  // Dense: relu(x W1^T + b1) W2^T + b2, of which the first L columns count. weight_1 [hidden, D],
  // bias_1 [hidden], weight_2 [most, hidden], bias_2 [most]. Biases may be null.
  ConstTensorView weight_1, bias_1, weight_2, bias_2;
  // Random: scores themselves, [most, most]; the first L rows and columns count.
  ConstTensorView random;
  // Factorized random: left [most, k] right [k, most].
  ConstTensorView left, right;
  Mask mask;  // a query that may see no key gives zeros
};
// x [..., L, D], value [..., L, Dv], result [..., L, Dv]; leading axes broadcast as those of query
// and value in attention. Working memory grows with L and not with its square.
QKV_API Status try_synthesizer(const ConstTensorView& x, const ConstTensorView& value,
                               const TensorView& result,
                               const SynthesizerOptions& options) noexcept;
// Shape of the result. Errors: shape, argument.
QKV_API Status synthesizer_shape(const ConstTensorView& x, const ConstTensorView& value,
                                 Shape& shape) noexcept;

// FNet, Lee-Thorp et al. 2021: the real part of the discrete Fourier transform over features and
// then over tokens, not normalised. Any length, in O(n log n). There is no mask: every row of x
// counts, padding too, so that rows of zeros added behind change the results of all others.
// x [..., L, D]; result as x.
QKV_API Status try_fnet(const ConstTensorView& x, const TensorView& result) noexcept;

// x Phi(x) with the normal distribution Phi, or its approximation by tanh; gelu(1) is 0.841345 and
// 0.841192.
enum class Gelu { exact, tanh };

// MLP-Mixer, Tolstikhin et al. 2021: x + mlp over tokens of LN(x), then the same over channels,
// where mlp(y) = W2 gelu(W1 y + b1) + b2. Biases may be null, and are then zeros.
struct MixerOptions {
  ConstTensorView norm_1_weight, norm_1_bias;  // [D]; null: ones and zeros
  ConstTensorView token_weight_1, token_bias_1;  // [T, L], [T]; T hidden units of each channel
  ConstTensorView token_weight_2, token_bias_2;  // [L, T], [L]
  ConstTensorView norm_2_weight, norm_2_bias;
  ConstTensorView channel_weight_1, channel_bias_1;  // [C, D], [C]
  ConstTensorView channel_weight_2, channel_bias_2;  // [D, C], [D]
  Gelu gelu = Gelu::exact;
  float epsilon = 1e-5f;  // of both layer norms
};
// x [..., L, D]; result as x.
QKV_API Status try_mlp_mixer(const ConstTensorView& x, const TensorView& result,
                             const MixerOptions& options) noexcept;

// gMLP, Liu et al. 2021, with its residual: x + out(u * spatial(LN(v))), [u, v] = gelu(in(LN(x))).
// spatial is a product over tokens, W v + b, with one b for each token. Biases may be null, and are
// then zeros (the paper begins with a spatial bias of ones).
struct GmlpOptions {
  ConstTensorView norm_weight, norm_bias;        // [D]; null: ones and zeros
  ConstTensorView in_weight, in_bias;            // [2F, D], [2F]; u comes first
  ConstTensorView gate_norm_weight, gate_norm_bias;  // [F]
  ConstTensorView spatial_weight, spatial_bias;  // [most, most], [most]; most = L unless causal
  ConstTensorView out_weight, out_bias;          // [D, F], [D]
  // Uses the lower triangle of spatial_weight with its diagonal, of the first L rows. The result of
  // a token then has the same bits whatever the later ones hold, NaN included.
  bool causal = false;
  Gelu gelu = Gelu::exact;
  float epsilon = 1e-5f;  // of both layer norms
};
// x [..., L, D]; result as x.
QKV_API Status try_gmlp(const ConstTensorView& x, const TensorView& result,
                        const GmlpOptions& options) noexcept;

#if defined(__cpp_exceptions)
inline Tensor synthesizer(const ConstTensorView& x, const ConstTensorView& value,
                          const SynthesizerOptions& options) {
  Shape shape;
  raise(synthesizer_shape(x, value, shape));
  Tensor result(shape);
  raise(try_synthesizer(x, value, result, options));
  return result;
}
inline Tensor fnet(const ConstTensorView& x) {
  Tensor result(x.shape);
  raise(try_fnet(x, result));
  return result;
}
inline Tensor mlp_mixer(const ConstTensorView& x, const MixerOptions& options) {
  Tensor result(x.shape);
  raise(try_mlp_mixer(x, result, options));
  return result;
}
inline Tensor gmlp(const ConstTensorView& x, const GmlpOptions& options) {
  Tensor result(x.shape);
  raise(try_gmlp(x, result, options));
  return result;
}
#endif

}  // namespace qkv
