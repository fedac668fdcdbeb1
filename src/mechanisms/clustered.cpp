// Attention within clusters: tokens are brought into the order of their clusters, where each
// query's keys lie side by side, and back.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "memory.hpp"
#include "qkv/content.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr float most_clusters = 1 << 24;  // up to here a float32 holds every whole number

Status check_clusters(const char* name, const ConstTensorView& clusters, Index length,
                      Heads& heads) {
  QKV_TRY(add_within(name, clusters, 1, heads));
  if (clusters.shape.back(0) != length) {
    return shape_error(name, ": expected ", length, " clusters, one for each token, saw shape ",
                       clusters.shape);
  }
  float wrong = 0;
  for_each_row(clusters.shape, clusters.strides, [&](Index, Index offset) {
    for (Index i = 0; i < length; ++i) {
      const float c = clusters.data[offset + i * clusters.strides.back(0)];
      if (!(c >= 0 && c < most_clusters && std::floor(c) == c)) wrong = c;
    }
  });
  if (wrong == 0) return {};
  return argument_error(name, ": clusters are whole numbers from 0 to 16777215, saw ", wrong);
}

// The numbers of tokens in the order of their clusters, and of their positions within one: sorted
// by the lowest eight bits, then by the next ones, as far as the largest number reaches.
void order_by_cluster(const ConstTensorView& clusters, std::int32_t* order, std::int32_t* spare) {
  const Index count = clusters.shape[0], step = clusters.strides[0];
  float largest = 0;
  for (Index i = 0; i < count; ++i) {
    order[i] = static_cast<std::int32_t>(i);
    largest = std::max(largest, clusters.data[i * step]);
  }
  for (int shift = 0; static_cast<std::int32_t>(largest) >> shift != 0; shift += 8) {
    const auto digit = [&](std::int32_t token) {
      return static_cast<std::int32_t>(clusters.data[token * step]) >> shift & 255;
    };
    std::int32_t begin[257] = {};
    for (Index i = 0; i < count; ++i) ++begin[digit(order[i]) + 1];
    for (int d = 0; d < 256; ++d) begin[d + 1] += begin[d];
    for (Index i = 0; i < count; ++i) spare[begin[digit(order[i])]++] = order[i];
    std::copy_n(spare, count, order);
  }
}

// The keys of each query's cluster as runs of the ordered keys. Both orders rise, so that one walk
// finds them all.
void find_ranges(const ConstTensorView& query_clusters, const std::int32_t* query_order,
                 const ConstTensorView& key_clusters, const std::int32_t* key_order, bool causal,
                 KeyRange* ranges) {
  const auto keys = static_cast<std::int32_t>(key_clusters.shape[0]);
  const auto cluster_of = [&](std::int32_t key) {
    return key_clusters.data[key_order[key] * key_clusters.strides[0]];
  };
  float cluster = -1;
  std::int32_t first = 0, last = 0;
  for (Index i = 0; i < query_clusters.shape[0]; ++i) {
    const std::int32_t query = query_order[i];
    const float own = query_clusters.data[query * query_clusters.strides[0]];
    if (own != cluster) {
      cluster = own;
      while (first < keys && cluster_of(first) < own) ++first;
      last = first;
    }
    while (last < keys && cluster_of(last) == own && (!causal || key_order[last] <= query)) ++last;
    ranges[i] = {first, last};
  }
}

constexpr Index enough_floats = Index{1} << 20;  // brought together at a time

class Clustered {
 public:
  Clustered(const Heads& heads, const ConstTensorView& query, const ConstTensorView& key,
            const ConstTensorView& value, const TensorView& result,
            const ClusteredOptions& options) noexcept
      : heads_(heads),
        query_(query),
        key_(key),
        value_(value),
        result_(result),
        options_(options) {}

  // So many heads at a time that they stay in a cache, or one.
  Status run() noexcept {
    const Index count = heads_.count();
    const Index floats = (queries_ + keys_) * (width_ + value_width_);
    const Index most = std::clamp<Index>(enough_floats / std::max<Index>(floats, 1), 1,
                                         std::max<Index>(count, 1));
    workers_ = workers_for(static_cast<double>(most) * (queries_ + keys_) * width_);
    QKV_TRY(query_rows_.reserve(most * queries_ * width_));
    QKV_TRY(key_rows_.reserve(most * keys_ * width_));
    QKV_TRY(value_rows_.reserve(most * keys_ * value_width_));
    QKV_TRY(output_.reserve(most * queries_ * value_width_));
    QKV_TRY(order_.reserve(most * queries_));
    QKV_TRY(ranges_.reserve(most * queries_));
    QKV_TRY(spare_.reserve(workers_ * (keys_ + std::max(queries_, keys_))));
    for (Index first = 0; first < count; first += most) {
      QKV_TRY(attend(first, std::min(most, count - first)));
    }
    return {};
  }

 private:
  Status attend(Index first, Index count) noexcept {
    const Index integers = keys_ + std::max(queries_, keys_);
    parallel_for(count, workers_, [&](Index slot, int worker) {
      bring(first + slot, slot, spare_.data() + worker * integers);
    });
    AttentionOptions exact;
    exact.mask = range_mask(ranges_.data(), queries_);
    QKV_TRY(try_attention({query_rows_.data(), {count, 1, queries_, width_}},
                          {key_rows_.data(), {count, 1, keys_, width_}},
                          {value_rows_.data(), {count, 1, keys_, value_width_}},
                          {output_.data(), {count, 1, queries_, value_width_}}, exact));
    parallel_for(count, workers_, [&](Index slot, int) {
      scatter_rows(output_.data() + slot * queries_ * value_width_,
                   order_.data() + slot * queries_, queries_, heads_.at(result_, 2, first + slot));
    });
    return {};
  }

  // The operands of a head in the order of their clusters.
  void bring(Index head, Index slot, std::int32_t* key_order) noexcept {
    std::int32_t* spare = key_order + keys_;
    std::int32_t* order = order_.data() + slot * queries_;
    const ConstTensorView query_clusters = heads_.at(options_.query_clusters, 1, head);
    const ConstTensorView key_clusters = heads_.at(options_.key_clusters, 1, head);
    order_by_cluster(query_clusters, order, spare);
    order_by_cluster(key_clusters, key_order, spare);
    find_ranges(query_clusters, order, key_clusters, key_order, options_.causal,
                ranges_.data() + slot * queries_);
    gather_rows(heads_.at(query_, 2, head), order, queries_,
                query_rows_.data() + slot * queries_ * width_);
    gather_rows(heads_.at(key_, 2, head), key_order, keys_,
                key_rows_.data() + slot * keys_ * width_);
    gather_rows(heads_.at(value_, 2, head), key_order, keys_,
                value_rows_.data() + slot * keys_ * value_width_);
  }

  const Heads& heads_;
  const ConstTensorView &query_, &key_, &value_;
  const TensorView& result_;
  const ClusteredOptions& options_;
  const Index queries_ = query_.shape.back(1), keys_ = key_.shape.back(1);
  const Index width_ = query_.shape.back(0), value_width_ = value_.shape.back(0);
  int workers_ = 1;  // for the whole call, whatever set_threads does meanwhile
  Buffer<float> query_rows_, key_rows_, value_rows_, output_;
  Buffer<std::int32_t> order_, spare_;
  Buffer<KeyRange> ranges_;
};

}  // namespace

Status try_clustered_attention(const ConstTensorView& query, const ConstTensorView& key,
                               const ConstTensorView& value, const TensorView& result,
                               const ClusteredOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_call(query, key, value, result, heads));
    QKV_TRY(check_clusters("queryClusters", options.query_clusters, query.shape.back(1), heads));
    QKV_TRY(check_clusters("keyClusters", options.key_clusters, key.shape.back(1), heads));
    return Clustered(heads, query, key, value, result, options).run();
  });
}

namespace {

constexpr Index k_means_steps = 5;

constexpr MechanismParameter parameters[] = {{"clusters", 4, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* p) {
  const double tokens = static_cast<double>(n) * d;
  // Clusters of equal size; and finding them.
  return {2 * tokens * n / p[0] + k_means_steps * tokens * p[0], 4.0 * 5 * tokens};
}

// Clusters of what x holds, found by k-means.
Status run(const ConstTensorView& x, const double* p, const ConstTensorView*,
           const TensorView& result) {
  Heads heads;
  QKV_TRY(heads.add("x", x, 2));
  const Index n = x.shape.back(1), d = x.shape.back(0);
  Tensor centroids, clusters;
  const Index count = std::min(static_cast<Index>(p[0]), std::max<Index>(n, 1));
  QKV_TRY(Tensor::create(heads.with(count, d), centroids));
  const auto axes = static_cast<std::size_t>(x.shape.rank()) - 1;
  QKV_TRY(Tensor::create({x.shape.begin(), axes}, clusters));
  if (n > 0) {
    QKV_TRY(try_k_means(x, k_means_steps, static_cast<std::uint64_t>(p[1]), centroids, clusters));
  }
  ClusteredOptions options;
  options.query_clusters = options.key_clusters = clusters;
  return try_clustered_attention(x, x, x, result, options);
}

}  // namespace

const Mechanism catalogue::clustered = {
    .name = "clustered",
    .title = "Clustered attention",
    .paper = "Wang et al. 2020, arXiv:2009.06097",
    .year = 2020,
    .family = Family::content,
    .exact = true,
    .causal = true,
    .time = "n^2 d / clusters + n clusters d",
    .memory = "n d",
    .trap = "One large cluster brings the quadratic cost back, and clusters found from all tokens "
            "let a causal model see the future.",
    .parameters = parameters,
    .cost = cost,
    .run = run,
};

}  // namespace qkv
