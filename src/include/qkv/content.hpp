// Attention whose pairs are chosen by what the tokens hold.
//
// Shapes are those of attention: leading axes broadcast, the last of them counts heads. Lengths may
// be 0 and need not divide by anything. A query left without keys gives zeros. Errors of all: shape,
// argument (the numbers that do not fit), memory.
#pragma once

#include <cstdint>
#include <optional>

#include "qkv/attention.hpp"

namespace qkv {

// Keeps the k largest weights of each query, or those of at least `threshold` (or both), and divides
// them by their sum; of equal scores the earlier key stays. Memory grows with Lk, not with Lq Lk.
struct TopKOptions {
  std::optional<Index> k;          // 1 or more
  std::optional<float> threshold;  // of the weights before anything is dropped: 0 to 1
  std::optional<float> scale;      // replaces 1 / sqrt(D)
  Mask mask;
};
QKV_API Status try_top_k_attention(const ConstTensorView& query, const ConstTensorView& key,
                                   const ConstTensorView& value, const TensorView& result,
                                   const TopKOptions& options) noexcept;
#if defined(__cpp_exceptions)
inline Tensor top_k_attention(const ConstTensorView& query, const ConstTensorView& key,
                              const ConstTensorView& value, const TopKOptions& options) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_top_k_attention(query, key, value, result, options));
  return result;
}
#endif

// Reformer, Kitaev et al. 2020. Queries are their own keys: qk [..., L, D], value [..., L, Dv].
// A key has unit length, qk / sqrt(|qk|^2 + 1e-6 D), and a score is q . key without a further scale.
// Each round gives a token the bucket argmax([x R, -x R]) (ties: the first), sorts stably by
// (bucket, position), cuts the order into chunks, of which the last may be shorter, and lets a chunk
// see itself and the one before it (the first sees the last). Rounds are joined by their log-sum-exp.
// A token sees itself only where no round shows it another token, which is what a score of -1e5 in
// place of its own comes to. Where L <= 2 chunk_size every round would see every pair: this is then
// exact attention, once, under the same rule about oneself.
struct LshOptions {
  Index buckets = 0;     // even, 2 or more
  Index chunk_size = 0;  // 1 or more
  Index rounds = 1;
  std::uint64_t seed = 0;     // of the rotations, unless they are given
  ConstTensorView rotations;  // [D, rounds, buckets / 2], normal numbers; for all heads
  bool causal = false;        // by positions; where chunks begin depends on all tokens
  TensorView bucket_of;       // written if it has memory: [..., rounds, L], axes ... of the result
};
QKV_API Status try_lsh_attention(const ConstTensorView& qk, const ConstTensorView& value,
                                 const TensorView& result, const LshOptions& options) noexcept;
#if defined(__cpp_exceptions)
inline Tensor lsh_attention(const ConstTensorView& qk, const ConstTensorView& value,
                            const LshOptions& options) {
  Shape shape;
  raise(attention_shape(qk, value, value, shape));
  Tensor result(shape);
  raise(try_lsh_attention(qk, value, result, options));
  return result;
}
#endif

// Routing Transformer, Roy et al. 2020. Queries are their own keys: qk [..., L, D], value
// [..., L, Dv]. With u = qk / |qk| (a zero row stays), each centroid takes the window_size tokens of
// largest u . centroid (ties: the earlier), which attend to one another: a key is u, a query is qk as
// it comes, a score is q . u / sqrt(D). A token sees itself only where its cluster shows it nothing
// else; one in several clusters gets the mean of its results, one in none gets zeros.
struct RoutingOptions {
  ConstTensorView centroids;  // [C, D], or [..., C, D] with leading axes as qk; used as they are
  Index window_size = 0;      // 1 or more; at most L tokens are taken
  bool causal = false;        // inside a cluster; which tokens it takes depends on all of them
  // Written if it has memory: [..., C, L] with the result's leading axes, 1 where a token is taken.
  TensorView cluster_of;
};
QKV_API Status try_routing_attention(const ConstTensorView& qk, const ConstTensorView& value,
                                     const TensorView& result,
                                     const RoutingOptions& options) noexcept;
#if defined(__cpp_exceptions)
inline Tensor routing_attention(const ConstTensorView& qk, const ConstTensorView& value,
                                const RoutingOptions& options) {
  Shape shape;
  raise(attention_shape(qk, value, value, shape));
  Tensor result(shape);
  raise(try_routing_attention(qk, value, result, options));
  return result;
}
#endif

// A query sees the keys of its own cluster and no others: Cluster-Former, Wang et al. 2020. Clusters
// are whole numbers from 0 to 16777215; leading axes broadcast to those of the result. Time is that
// of attention for each cluster by itself.
struct ClusteredOptions {
  ConstTensorView query_clusters;  // [Lq], or [..., Lq]
  ConstTensorView key_clusters;    // [Lk], or [..., Lk]
  bool causal = false;             // by positions: key j is seen if j <= i as well
};
QKV_API Status try_clustered_attention(const ConstTensorView& query, const ConstTensorView& key,
                                       const ConstTensorView& value, const TensorView& result,
                                       const ClusteredOptions& options) noexcept;
#if defined(__cpp_exceptions)
inline Tensor clustered_attention(const ConstTensorView& query, const ConstTensorView& key,
                                  const ConstTensorView& value, const ClusteredOptions& options) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_clustered_attention(query, key, value, result, options));
  return result;
}
#endif

// Spherical k-means, for the centroids and clusters above: `iterations` of Lloyd's steps on rows of
// unit length, beginning at different rows drawn by `seed` (of which some come again where there are
// more centroids than rows; without rows they are zeros). A centroid to which no row belongs, or
// whose rows sum to zero, stays. x [..., L, D], centroids [..., C, D]; cluster_of [..., L], the
// centroid of largest product (ties: the first), is written if it has memory.
QKV_API Status try_k_means(const ConstTensorView& x, Index iterations, std::uint64_t seed,
                           const TensorView& centroids, const TensorView& cluster_of) noexcept;
#if defined(__cpp_exceptions)
// The centroids, [..., clusters, D].
inline Tensor k_means(const ConstTensorView& x, Index clusters, Index iterations,
                      std::uint64_t seed) {
  Shape shape = x.shape;
  if (shape.rank() >= 2 && shape.rank() <= Shape::max_rank) shape[shape.rank() - 2] = clusters;
  Tensor centroids(shape);
  raise(try_k_means(x, iterations, seed, centroids, {}));
  return centroids;
}
#endif

// Sparse Sinkhorn attention, Tay et al. 2020. The sequence is cut into blocks; a block of queries
// sees its own keys and one sorted block (its own once more, where the sort names that). The sort is
// R = relu(S W), S [blocks, 2D] the sums of queries and of keys of each block, W [2D, blocks];
// (R + 1e-6)^(1 / temperature) is divided by the sums of its rows, then of its columns,
// `iterations` times; of each row the largest entry, the first of equals, names the block, whose
// keys and values are multiplied by that entry. Causal: S sums the tokens up to the first one of the
// block, that one included; each row is divided by its sum over the blocks before, instead of the
// iterations; and the first block sees itself alone. There are as many queries as keys.
struct SinkhornOptions {
  Index block_size = 0;         // 1 or more; the last block may be shorter
  ConstTensorView sort_weights;  // W [2D, blocks], or [..., 2D, blocks]
  Index iterations = 5;         // 1 or more
  float temperature = 0.75f;    // above 0
  bool causal = false;
  TensorView sorting;           // written if it has memory: [..., blocks, blocks], the sort
};
QKV_API Status try_sinkhorn_attention(const ConstTensorView& query, const ConstTensorView& key,
                                      const ConstTensorView& value, const TensorView& result,
                                      const SinkhornOptions& options) noexcept;
#if defined(__cpp_exceptions)
inline Tensor sinkhorn_attention(const ConstTensorView& query, const ConstTensorView& key,
                                 const ConstTensorView& value, const SinkhornOptions& options) {
  Shape shape;
  raise(attention_shape(query, key, value, shape));
  Tensor result(shape);
  raise(try_sinkhorn_attention(query, key, value, result, options));
  return result;
}
#endif

}  // namespace qkv
