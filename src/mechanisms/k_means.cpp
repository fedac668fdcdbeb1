// Spherical k-means: clusters of rows by their direction.
#include <algorithm>
#include <limits>
#include <numeric>

#include "attention/operands.hpp"
#include "check.hpp"
#include "memory.hpp"
#include "mechanisms/heads.hpp"
#include "qkv/content.hpp"
#include "qkv/linear.hpp"
#include "random/philox.hpp"
#include "strided.hpp"

namespace qkv {
namespace {

constexpr Index products_at_once = Index{1} << 20;  // of rows and centroids

class KMeans {
 public:
  KMeans(const Heads& heads, const ConstTensorView& x, Index clusters, std::uint64_t seed) noexcept
      : heads_(heads),
        x_(x),
        seed_(seed),
        length_(x.shape.back(1)),
        width_(x.shape.back(0)),
        clusters_(clusters) {}

  Status run(Index iterations, const TensorView& result, const TensorView& cluster_of) {
    band_ = std::clamp<Index>(products_at_once / clusters_, 1, std::max<Index>(length_, 1));
    QKV_TRY(unit_.reserve(length_ * width_));
    QKV_TRY(clusters_of_.reserve(length_));
    QKV_TRY(products_.reserve(band_ * clusters_));
    QKV_TRY(centroids_.reserve(clusters_ * width_));
    QKV_TRY(sums_.reserve(clusters_ * width_));
    QKV_TRY(mean_.reserve(width_));
    QKV_TRY(counts_.reserve(clusters_));
    for (Index head = 0; head < heads_.count(); ++head) {
      const ConstTensorView rows = heads_.at(x_, 2, head);
      for (Index t = 0; t < length_; ++t) {
        normalize(rows.data + t * rows.strides[0], rows.strides[1], width_,
                  unit_.data() + t * width_);
      }
      begin();
      for (Index i = 0; i < iterations && length_ > 0; ++i) {
        QKV_TRY(assign());
        improve();
      }
      copy_elements({centroids_.data(), {clusters_, width_}}, heads_.at(result, 2, head));
      if (cluster_of) {
        QKV_TRY(assign());
        const TensorView to = heads_.at(cluster_of, 1, head);
        for (Index t = 0; t < length_; ++t) {
          to.data[t * to.strides[0]] = static_cast<float>(clusters_of_[t]);
        }
      }
    }
    return {};
  }

 private:
  // Different rows, by the first steps of a shuffle (Fisher and Yates 1938); the same ones of every
  // head, so that what a head gets depends on its tokens alone.
  void begin() noexcept {
    Index* order = clusters_of_.data();  // not yet in use
    std::iota(order, order + length_, Index{0});
    for (Index c = 0; c < clusters_; ++c) {
      float* centroid = centroids_.data() + c * width_;
      if (length_ == 0) {
        std::fill_n(centroid, width_, 0.0f);
        continue;
      }
      const Index place = c % length_;
      if (c < length_) {
        const auto drawn =
            random::draw(seed_, random::Stream::uniform, 0, static_cast<std::uint64_t>(c));
        const std::uint64_t bits = std::uint64_t{drawn[0]} << 32 | drawn[1];
        const auto rest = static_cast<std::uint64_t>(length_ - c);
        std::swap(order[place], order[place + static_cast<Index>(bits % rest)]);
      }
      std::copy_n(unit_.data() + order[place] * width_, width_, centroid);
    }
  }

  // Each row to the centroid of largest product. A NaN is never the largest.
  Status assign() {
    const ConstTensorView centroids(centroids_.data(), {clusters_, width_});
    for (Index first = 0; first < length_; first += band_) {
      const Index count = std::min(band_, length_ - first);
      QKV_TRY(try_linear({unit_.data() + first * width_, {count, width_}}, centroids, {},
                         {products_.data(), {count, clusters_}}));
      for (Index row = 0; row < count; ++row) {
        const float* products = products_.data() + row * clusters_;
        float largest = -std::numeric_limits<float>::infinity();
        Index best = 0;
        for (Index c = 0; c < clusters_; ++c) {
          if (products[c] > largest) {
            largest = products[c];
            best = c;
          }
        }
        clusters_of_[first + row] = best;
      }
    }
    return {};
  }

  // Each centroid to the direction of the sum of its rows.
  void improve() noexcept {
    std::fill_n(sums_.data(), sums_.size(), 0.0);
    std::fill_n(counts_.data(), counts_.size(), Index{0});
    for (Index t = 0; t < length_; ++t) {
      double* sum = sums_.data() + clusters_of_[t] * width_;
      const float* row = unit_.data() + t * width_;
      for (Index d = 0; d < width_; ++d) sum[d] += row[d];
      ++counts_[clusters_of_[t]];
    }
    for (Index c = 0; c < clusters_; ++c) {
      bool zero = true;
      for (Index d = 0; d < width_; ++d) {
        mean_[d] = static_cast<float>(sums_[c * width_ + d]);
        zero &= mean_[d] == 0;
      }
      if (counts_[c] == 0 || zero) continue;
      normalize(mean_.data(), 1, width_, centroids_.data() + c * width_);
    }
  }

  const Heads& heads_;
  const ConstTensorView& x_;
  const std::uint64_t seed_;
  const Index length_, width_, clusters_;
  Index band_ = 1;  // rows whose products are held at once
  Buffer<float> unit_, products_, centroids_, mean_;
  Buffer<double> sums_;
  Buffer<Index> clusters_of_, counts_;
};

}  // namespace

Status try_k_means(const ConstTensorView& x, Index iterations, std::uint64_t seed,
                   const TensorView& centroids, const TensorView& cluster_of) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(heads.add("x", x, 2));
    if (iterations < 0) {
      return argument_error("iterations: expected 0 or more, saw ", iterations);
    }
    const Index clusters = centroids.shape.rank() == x.shape.rank() ? centroids.shape.back(1) : 0;
    QKV_TRY(check_shape("centroids", centroids, heads.with(clusters, x.shape.back(0))));
    if (clusters < 1) return argument_error("clusters: expected 1 or more, saw ", clusters);
    if (cluster_of) {
      Shape expected = heads.leading();
      expected = Shape(expected.begin(), static_cast<std::size_t>(expected.rank()) + 1);
      expected[expected.rank() - 1] = x.shape.back(1);
      QKV_TRY(check_shape("cluster_of", cluster_of, expected));
    }
    return KMeans(heads, x, clusters, seed).run(iterations, centroids, cluster_of);
  });
}

}  // namespace qkv
