// Attention whose softmax is replaced by a product of features, so that keys meet values first and
// time grows with the length alone.
//
//   output[i] = phi(q_i) . sum_j phi(k_j) v_j^T / (phi(q_i) . sum_j phi(k_j))
//
// Katharopoulos et al. 2020 (elu), Shen et al. 2018 (softmax by parts), Choromanski et al. 2021
// (FAVOR+), Peng et al. 2021 (random Fourier features).
#pragma once

#include <cstdint>
#include <variant>

#include "qkv/attention.hpp"

namespace qkv {

namespace feature {

struct Elu {};       // elu(x) + 1
struct Relu {};      // max(x, 0)
struct Identity {};  // x, and no division: Q (K^T V)
// Efficient attention: softmax over the features of each query and, for each feature, over the
// sequence of the (valid) keys; no division, as both are normalised. Without a causal form and
// without a state.
struct Softmax {};
// Positive random features of exp(q . k / sqrt(D)): phi(x) = exp(W x' - |x'|^2 / 2) / sqrt(m),
// x' = x / D^(1/4). What keeps exp from overflowing is taken off: of each query its largest, of
// keys the largest so far, so that no later key changes a bit of a causal result. Drawn weights are
// drawn anew in each call: token by token, give a projection.
struct Favor {
  Index features = 0;          // m; 0: as many as the projection has, or D ln D rounded
  std::uint64_t seed = 0;
  ConstTensorView projection;  // W [m, D]; drawn orthogonal in blocks of D rows, each as long as a
                               // normal vector, unless it is given
};
// phi(x) = [sin(W x'), cos(W x')] / sqrt(m), x' = sigma x / (|x| + 1e-6): approximates
// exp(-sigma^2 |q - k|^2 / 2) of unit vectors. Features have both signs: a denominator below 1e-3 in
// size counts as 1e-3 of its sign.
struct Fourier {
  Index features = 0;  // m; 0: as many as the projection has, or D
  float sigma = 1;     // above 0
  std::uint64_t seed = 0;
  ConstTensorView projection;  // W [m, D], normal numbers
};

}  // namespace feature

using FeatureMap = std::variant<feature::Elu, feature::Relu, feature::Softmax, feature::Identity,
                                feature::Favor, feature::Fourier>;

struct LinearAttentionOptions {
  FeatureMap feature_map;
  bool causal = false;      // j <= i, both counted from the first token of this call
  ConstTensorView key_lengths;  // valid keys per batch entry, [batch]; after the feature map
  // What causal calls before this one left: sums over their keys, [..., M, Dv + 1], M the number of
  // features. Row r holds the sum of phi(k)_r v^T; its last column is that of phi(k)_r itself.
  // Favor has one row more, [..., M + 1, Dv + 1]: zeros and, in the last column, a number c; the
  // others then hold exp(-c) times the sums. The leading axes are those of key and value together,
  // and the batch where key_lengths has one for each entry. Null: nothing before.
  ConstTensorView state;
  // Of the same shape, written if it has memory: the state after this call's keys. May be the
  // memory of `state`.
  TensorView next_state;
};

// Number of features M that a map makes of D, 2m for Fourier. Errors: shape, argument.
QKV_API Status feature_count(const FeatureMap& map, Index d, Index& features) noexcept;

// Shape of the state of a causal call. Errors: shape, argument.
QKV_API Status linear_state_shape(const ConstTensorView& query, const ConstTensorView& key,
                                  const ConstTensorView& value,
                                  const LinearAttentionOptions& options, Shape& shape) noexcept;

// query [..., Lq, D], key [..., Lk, D], value [..., Lk, Dv], result [..., Lq, Dv]; leading axes and
// heads as in attention. Causal calls have Lq = Lk. Not scaled by 1 / sqrt(D), except in Favor. A
// denominator of 0 gives zeros.
// Errors: shape, argument, memory.
QKV_API Status try_linear_attention(const ConstTensorView& query, const ConstTensorView& key,
                                    const ConstTensorView& value, const TensorView& result,
                                    const LinearAttentionOptions& options = {}) noexcept;

#if defined(__cpp_exceptions)
inline Tensor linear_attention(const ConstTensorView& query, const ConstTensorView& key,
                               const ConstTensorView& value,
                               const LinearAttentionOptions& options = {}) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_linear_attention(query, key, value, result, options));
  return result;
}
#endif

}  // namespace qkv
