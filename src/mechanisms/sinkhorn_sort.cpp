#include "mechanisms/sinkhorn.hpp"

#include <algorithm>
#include <cmath>

#include "exact_math.hpp"
#include "memory.hpp"
#include "qkv/linear.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {

void sinkhorn_normalize(double* matrix, Index size, Index rounds, double* sums) noexcept {
  for (; rounds > 0; --rounds) {
    std::fill_n(sums, size, 0.0);
    for (Index i = 0; i < size; ++i) {
      double* row = matrix + i * size;
      double sum = 0;
      for (Index j = 0; j < size; ++j) sum += row[j];
      if (sum == 0) sum = 1;
      for (Index j = 0; j < size; ++j) sums[j] += row[j] /= sum;
    }
    for (Index j = 0; j < size; ++j) {
      if (sums[j] == 0) sums[j] = 1;
    }
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) matrix[i * size + j] /= sums[j];
    }
  }
}

namespace {

// Logarithms of entries further below the largest of their row count as this far below it: the
// powers stay above 0, and so does the sum of each column. At the default temperature no float32
// comes below -140.
constexpr double least_logarithm = -500;

class BlockSort {
 public:
  BlockSort(const Heads& heads, const ConstTensorView& query, const ConstTensorView& key,
            const SinkhornOptions& options, BlockChoice* choices) noexcept
      : heads_(heads), query_(query), key_(key), options_(options), choices_(choices) {}

  // S W of all heads, then what each makes of it.
  Status run() noexcept {
    const int workers = workers_for(static_cast<double>(count_) * tokens_ * width_);
    Buffer<float> sums, logits;
    Buffer<double> memory;
    QKV_TRY(sums.reserve(count_ * blocks_ * 2 * width_));
    QKV_TRY(logits.reserve(count_ * blocks_ * blocks_));
    const Index doubles = std::max(blocks_ * (blocks_ + 1), 2 * width_);
    QKV_TRY(memory.reserve(workers * doubles));

    parallel_for(count_, workers, [&](Index head, int worker) {
      add_up(head, memory.data() + worker * doubles, sums.data() + head * blocks_ * 2 * width_);
    });
    QKV_TRY(multiply(sums.data(), logits.data()));
    parallel_for(count_, workers, [&](Index head, int worker) {
      double* matrix = memory.data() + worker * doubles;
      const float* own = logits.data() + head * blocks_ * blocks_;
      for (Index i = 0; i < blocks_; ++i) to_weights(own + i * blocks_, i, matrix + i * blocks_);
      if (!options_.causal) {
        sinkhorn_normalize(matrix, blocks_, options_.iterations, matrix + blocks_ * blocks_);
      }
      choose(matrix, choices_ + head * blocks_);
      if (!options_.sorting.data) return;
      const TensorView sorting = heads_.at(options_.sorting, 2, head);
      for (Index i = 0; i < blocks_; ++i) {
        for (Index j = 0; j < blocks_; ++j) {
          sorting.data[i * sorting.strides[0] + j * sorting.strides[1]] =
              static_cast<float>(matrix[i * blocks_ + j]);
        }
      }
    });
    return {};
  }

 private:
  // The sums of queries and of keys of each block; or, causal, of all tokens up to its first one.
  void add_up(Index head, double* total, float* sums) const noexcept {
    const ConstTensorView sides[] = {heads_.at(query_, 2, head), heads_.at(key_, 2, head)};
    std::fill_n(total, 2 * width_, 0.0);
    const auto put = [&](Index block) {
      for (Index d = 0; d < 2 * width_; ++d) {
        sums[block * 2 * width_ + d] = static_cast<float>(total[d]);
      }
    };
    for (Index i = 0; i < tokens_; ++i) {
      const bool first = i % size_ == 0;
      if (first && !options_.causal) std::fill_n(total, 2 * width_, 0.0);
      for (int side = 0; side < 2; ++side) {
        const float* row = sides[side].data + i * sides[side].strides[0];
        const Index step = sides[side].strides[1];
        for (Index d = 0; d < width_; ++d) total[side * width_ + d] += row[d * step];
      }
      if (options_.causal ? first : i % size_ == size_ - 1 || i == tokens_ - 1) put(i / size_);
    }
  }

  // Weights that all heads share take one product.
  Status multiply(const float* sums, float* logits) const noexcept {
    const ConstTensorView& weights = options_.sort_weights;
    const bool shared = weights.shape.rank() == 2;
    const Index heads = shared ? count_ : 1;
    for (Index first = 0; first < count_; first += heads) {
      const ConstTensorView own = heads_.at(weights, 2, first);
      QKV_TRY(try_linear({sums + first * blocks_ * 2 * width_, {heads, blocks_, 2 * width_}},
                         {own.data, {blocks_, 2 * width_}, {own.strides[1], own.strides[0]}}, {},
                         {logits + first * blocks_ * blocks_, {heads, blocks_, blocks_}}));
    }
    return {};
  }

  // A row of the sort before the iterations: (relu + 1e-6)^(1 / temperature), divided by its
  // largest; or, causal, its softmax over the blocks before.
  void to_weights(const float* logits, Index row, double* weights) const noexcept {
    const Index count = options_.causal ? row : blocks_;
    double largest = -HUGE_VAL, sum = 0;
    for (Index j = 0; j < count; ++j) {
      const double relu = logits[j] < 0 ? 0 : logits[j];
      weights[j] = exact_log(relu + 1e-6) / options_.temperature;
      if (weights[j] > largest) largest = weights[j];
    }
    for (Index j = 0; j < count; ++j) {
      double power = weights[j] - largest;
      if (power < least_logarithm) power = least_logarithm;
      weights[j] = exact_exp(power);
      sum += weights[j];
    }
    if (!options_.causal) return;
    for (Index j = 0; j < count; ++j) weights[j] /= sum;
    std::fill(weights + count, weights + blocks_, 0.0);
  }

  // The largest of each row, the first of equals; a NaN before all.
  void choose(const double* matrix, BlockChoice* choices) const noexcept {
    for (Index i = 0; i < blocks_; ++i) {
      const double* row = matrix + i * blocks_;
      Index best = 0;
      for (Index j = 1; j < blocks_; ++j) {
        if (!(row[j] <= row[best]) && !std::isnan(row[best])) best = j;
      }
      choices[i] = {static_cast<std::int32_t>(best), static_cast<float>(row[best])};
    }
  }

  const Heads& heads_;
  const ConstTensorView &query_, &key_;
  const SinkhornOptions& options_;
  BlockChoice* const choices_;
  const Index count_ = heads_.count();
  const Index tokens_ = query_.shape.back(1), width_ = query_.shape.back(0);
  const Index size_ = std::min(options_.block_size, tokens_);
  const Index blocks_ = sinkhorn_blocks(tokens_, options_.block_size);
};

}  // namespace

Status sinkhorn_sort(const Heads& heads, const ConstTensorView& query, const ConstTensorView& key,
                     const SinkhornOptions& options, BlockChoice* choices) noexcept {
  return BlockSort(heads, query, key, options, choices).run();
}

}  // namespace qkv
