// Exact attention in three stages: score, normalise, aggregate.
//
//   scores[i, j]  = score(query i, key j) * scale            scaled dot product unless chosen otherwise
//                   softcap * tanh(scores / softcap)         if softcap is not 0
//                   + bias[i, j]
//                   -infinity where the mask forbids the pair
//   weights[i, :] = normalizer(scores[i, :]), then dropout
//   output[i]     = sum over j of weights[i, j] * value[j]
//
// Vaswani et al. 2017, "Attention Is All You Need"; the online softmax that keeps memory linear in
// the sequence length is Milakov and Gimelshein 2018, tiled as in Dao et al. 2022, FlashAttention.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "qkv/export.hpp"
#include "qkv/mask.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

namespace score {

struct ScaledDot {};  // q . k / sqrt(D)
struct Dot {};        // q . k
struct Cosine {};     // q . k / (|q| |k|); 0 when either is the zero vector

// vector . tanh(query_weight q + key_weight k). Bahdanau et al. 2015.
struct Additive {
  ConstTensorView query_weight;  // [hidden, query width]
  ConstTensorView key_weight;    // [hidden, key width]
  ConstTensorView vector;        // [hidden]
};

// q . weight k. Luong et al. 2015, "general".
struct Bilinear {
  ConstTensorView weight;  // [query width, key width]
};

}  // namespace score

using Score =
    std::variant<score::ScaledDot, score::Dot, score::Cosine, score::Additive, score::Bilinear>;

namespace normalizer {

struct Softmax {};
struct Relu {};     // max(s, 0) over the row's sum; a row that sums to 0 gives zeros
struct Sigmoid {};  // 1 / (1 + exp(-s)) each; rows do not sum to 1
struct Hard {};     // all weight on the largest score, the first one if several are equal
// All weight on one key drawn from the softmax. Xu et al. 2015, "hard attention".
struct Sample {
  std::uint64_t seed = 0;
};

}  // namespace normalizer

using Normalizer = std::variant<normalizer::Softmax, normalizer::Relu, normalizer::Sigmoid,
                                normalizer::Hard, normalizer::Sample>;

struct Dropout {
  float p = 0;  // probability that a weight becomes 0; the others are scaled by 1 / (1 - p)
  std::uint64_t seed = 0;
};

// Further results, written when their view has memory. The caller owns it.
struct AttentionReturns {
  TensorView weights;      // [..., Lq, Lk], after dropout: what multiplied the values
  TensorView scores;       // [..., Lq, Lk], after scale, softcap and bias; masked pairs -infinity
  TensorView log_sum_exp;  // [..., Lq], natural logarithm, with the sinks; softmax only
};

struct AttentionOptions {
  Score score;
  std::optional<float> scale;  // replaces 1 / sqrt(D) of ScaledDot and the 1 of the others
  float softcap = 0;           // 0 is off
  ConstTensorView bias;        // broadcasts from the right to [..., heads, Lq, Lk]; a sum of
                               // -infinity excludes the pair like a mask
  Mask mask;
  Normalizer normalizer;
  ConstTensorView sinks;  // [heads], one logit each: joins the softmax but has no value
  std::optional<Dropout> dropout;
  AttentionReturns returns;
};

// query [..., H, Lq, D], key [..., Hkv, Lk, D], value [..., Hkv, Lk, Dv], result [..., H, Lq, Dv].
// Rank 2 and more; leading axes broadcast. H may be a multiple of Hkv: query head h then reads
// key/value head h / (H / Hkv) (grouped-query attention, Ainslie et al. 2023).
// Any length may be 0. Inputs may have any strides; no view is kept after the call. Outputs must not
// overlap inputs or one another. NaN in what a query attends to gives NaN for that query; so does a
// score of +infinity under the softmax, as infinity minus infinity does.
// Errors: shape, argument, memory.
QKV_API Status try_attention(const ConstTensorView& query, const ConstTensorView& key,
                             const ConstTensorView& value, const TensorView& result,
                             const AttentionOptions& options = {}) noexcept;

// Shape of the result: the broadcast leading axes, Lq and Dv. Errors: shape.
QKV_API Status attention_shape(const ConstTensorView& query, const ConstTensorView& key,
                               const ConstTensorView& value, Shape& shape) noexcept;

#if defined(__cpp_exceptions)

inline void attention(const ConstTensorView& query, const ConstTensorView& key,
                      const ConstTensorView& value, const TensorView& result,
                      const AttentionOptions& options = {}) {
  raise(try_attention(query, key, value, result, options));
}

// The same into a tensor of its own.
inline Tensor attention(const ConstTensorView& query, const ConstTensorView& key,
                        const ConstTensorView& value, const AttentionOptions& options = {}) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_attention(query, key, value, result, options));
  return result;
}

#endif

}  // namespace qkv
