#include <algorithm>

#include "dynamic/call.hpp"
#include "mechanisms/heads.hpp"
#include "qkv/content.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

// Numbers that the mechanism will refuse must not make an impossible shape first.
Index size_of(Index number) { return std::max<Index>(number, 0); }

struct QueryKeyValue {
  ConstTensorView query, key, value;
  Tensor output;

  Status read(Call& call) {
    QKV_TRY(call.tensor(0, "query", query));
    QKV_TRY(call.tensor(1, "key", key));
    return call.tensor(2, "value", value);
  }
  Status reserve() {
    Shape shape;
    QKV_TRY(attention_shape(query, key, value, shape));
    return Tensor::create(shape, output);
  }
};

// Queries that are their own keys.
struct SharedValue {
  ConstTensorView qk, value;
  Heads heads;
  Tensor output;

  Status read(Call& call) {
    QKV_TRY(call.tensor(0, "qk", qk));
    return call.tensor(1, "value", value);
  }
  Status reserve() {
    QKV_TRY(heads.add("qk", qk, 2));
    QKV_TRY(heads.add("value", value, 2));
    return Tensor::create(heads.with(length(), value.shape.back(0)), output);
  }
  Index length() const { return qk.shape.back(1); }
};

Status top_k(Call& call) {
  QueryKeyValue operands;
  QKV_TRY(operands.read(call));
  TopKOptions options;
  const CustomReader mask(
      [&](std::string_view name, Value value) { return read_mask(name, value, options.mask); });
  QKV_TRY(call.options(3, {{"k", &options.k},
                           {"threshold", &options.threshold},
                           {"scale", &options.scale},
                           {"mask", &mask}}));
  QKV_TRY(operands.reserve());
  QKV_TRY(try_top_k_attention(operands.query, operands.key, operands.value, operands.output,
                              options));
  call.give("output", std::move(operands.output));
  return {};
}

Status clustered(Call& call) {
  QueryKeyValue operands;
  QKV_TRY(operands.read(call));
  ClusteredOptions options;
  QKV_TRY(call.options(3, {{"queryClusters", &options.query_clusters, true},
                           {"keyClusters", &options.key_clusters, true},
                           {"causal", &options.causal}}));
  QKV_TRY(operands.reserve());
  QKV_TRY(try_clustered_attention(operands.query, operands.key, operands.value, operands.output,
                                  options));
  call.give("output", std::move(operands.output));
  return {};
}

Status sinkhorn(Call& call) {
  QueryKeyValue operands;
  QKV_TRY(operands.read(call));
  SinkhornOptions options;
  QKV_TRY(call.options(3, {{"blockSize", &options.block_size, true},
                           {"sortWeights", &options.sort_weights, true},
                           {"iterations", &options.iterations},
                           {"temperature", &options.temperature},
                           {"causal", &options.causal}}));
  QKV_TRY(operands.reserve());
  Shape shape = operands.output.shape();
  const Index length = shape.back(1), size = std::max<Index>(options.block_size, 1);
  const Index blocks = length / size + (length % size != 0 ? 1 : 0);
  shape[shape.rank() - 2] = shape[shape.rank() - 1] = blocks;
  Tensor sorting;
  // A block size of 0 is refused below, and must not take memory for its many blocks first.
  if (options.block_size >= 1) QKV_TRY(Tensor::create(shape, sorting));
  options.sorting = sorting;
  QKV_TRY(try_sinkhorn_attention(operands.query, operands.key, operands.value, operands.output,
                                 options));
  call.give("output", std::move(operands.output));
  call.give("sorting", std::move(sorting));
  return {};
}

Status lsh(Call& call) {
  SharedValue operands;
  QKV_TRY(operands.read(call));
  LshOptions options;
  std::optional<std::uint64_t> seed;
  QKV_TRY(call.options(2, {{"buckets", &options.buckets, true},
                           {"chunkSize", &options.chunk_size, true},
                           {"rounds", &options.rounds},
                           {"seed", &seed},
                           {"rotations", &options.rotations},
                           {"causal", &options.causal}}));
  if (seed && options.rotations.shape.rank() > 0) {
    return argument_error("lshAttention takes a seed or rotations, saw both");
  }
  options.seed = seed.value_or(0);
  QKV_TRY(operands.reserve());
  Tensor buckets;
  QKV_TRY(Tensor::create(operands.heads.with(size_of(options.rounds), operands.length()), buckets));
  options.bucket_of = buckets;
  QKV_TRY(try_lsh_attention(operands.qk, operands.value, operands.output, options));
  call.give("output", std::move(operands.output));
  call.give("buckets", std::move(buckets));
  return {};
}

Status routing(Call& call) {
  SharedValue operands;
  QKV_TRY(operands.read(call));
  RoutingOptions options;
  QKV_TRY(call.options(2, {{"centroids", &options.centroids, true},
                           {"windowSize", &options.window_size, true},
                           {"causal", &options.causal}}));
  QKV_TRY(operands.reserve());
  Tensor clusters;
  const Index count = options.centroids.shape.rank() >= 2 ? options.centroids.shape.back(1) : 0;
  QKV_TRY(Tensor::create(operands.heads.with(count, operands.length()), clusters));
  options.cluster_of = clusters;
  QKV_TRY(try_routing_attention(operands.qk, operands.value, operands.output, options));
  call.give("output", std::move(operands.output));
  call.give("clusters", std::move(clusters));
  return {};
}

Status k_means(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  Index clusters = 0, iterations = 10;
  std::uint64_t seed = 0;
  QKV_TRY(call.options(
      1, {{"clusters", &clusters, true}, {"iterations", &iterations}, {"seed", &seed}}));
  if (clusters < 1) return argument_error("clusters: expected 1 or more, saw ", clusters);
  QKV_TRY(check_operand("x", x, 2));
  Shape shape = x.shape;
  shape[shape.rank() - 2] = clusters;
  Tensor centroids, cluster_of;
  QKV_TRY(Tensor::create(shape, centroids));
  QKV_TRY(Tensor::create(Shape(x.shape.begin(), static_cast<std::size_t>(x.shape.rank()) - 1),
                         cluster_of));
  QKV_TRY(try_k_means(x, iterations, seed, centroids, cluster_of));
  call.give("centroids", std::move(centroids));
  call.give("clusters", std::move(cluster_of));
  return {};
}

constexpr NamedOperation list[] = {
    {"topKAttention", top_k},        {"clusteredAttention", clustered},
    {"sinkhornAttention", sinkhorn}, {"lshAttention", lsh},
    {"routingAttention", routing},   {"kMeans", k_means},
};

}  // namespace

constinit const std::span<const NamedOperation> content_operations = list;

}  // namespace qkv::dynamic
