// Sparse Sinkhorn attention: blocks of queries see their own keys and those of one other block.
#include "mechanisms/sinkhorn.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "check.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "memory.hpp"
#include "qkv/content.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr Index enough_floats = Index{1} << 17;  // brought together, for each thread

class Sinkhorn {
 public:
  Sinkhorn(const Heads& heads, const ConstTensorView& query, const ConstTensorView& key,
           const ConstTensorView& value, const TensorView& result,
           const SinkhornOptions& options) noexcept
      : heads_(heads),
        query_(query),
        key_(key),
        value_(value),
        result_(result),
        options_(options) {}

  Status run() noexcept {
    if (tokens_ == 0 || count_ == 0) return {};
    QKV_TRY(choices_.reserve(count_ * blocks_));
    QKV_TRY(sinkhorn_sort(heads_, query_, key_, options_, choices_.data()));
    return attend();
  }

 private:
  // Blocks become entries of a batch: queries [size], keys [2 size], those of the sorted block
  // first and what a shorter block leaves free last. So many at a time that they stay in a cache.
  Status attend() noexcept {
    const bool all = !options_.causal && tokens_ % size_ == 0;  // every query sees every key
    const Index count = count_ * blocks_, floats = size_ * 3 * (width_ + value_width_);
    const double all_floats = static_cast<double>(count) * static_cast<double>(floats);
    const Index at_once = enough_floats * workers_for(all_floats * static_cast<double>(size_));
    const Index most = std::clamp<Index>(at_once / std::max<Index>(floats, 1), 1, count);
    QKV_TRY(queries_.reserve(most * size_ * width_));
    QKV_TRY(keys_.reserve(most * 2 * size_ * width_));
    QKV_TRY(values_.reserve(most * 2 * size_ * value_width_));
    QKV_TRY(output_.reserve(most * size_ * value_width_));
    if (!all) QKV_TRY(ranges_.reserve(most * size_));
    AttentionOptions exact;
    if (!all) exact.mask = range_mask(ranges_.data(), size_);
    for (Index first = 0; first < count; first += most) {
      QKV_TRY(attend(first, std::min(most, count - first), exact));
    }
    return {};
  }

  Status attend(Index first, Index entries, const AttentionOptions& exact) noexcept {
    const int workers = workers_for(static_cast<double>(entries * size_) * (width_ + value_width_));
    parallel_for(entries, workers, [&](Index slot, int) { bring(first + slot, slot); });
    QKV_TRY(try_attention({queries_.data(), {entries, 1, size_, width_}},
                          {keys_.data(), {entries, 1, 2 * size_, width_}},
                          {values_.data(), {entries, 1, 2 * size_, value_width_}},
                          {output_.data(), {entries, 1, size_, value_width_}}, exact));
    parallel_for(entries, workers, [&](Index slot, int) {
      const Index head = (first + slot) / blocks_, block = (first + slot) % blocks_;
      TensorView to = heads_.at(result_, 2, head);
      to.data += block * size_ * to.strides[0];
      scatter_rows(output_.data() + slot * size_ * value_width_, nullptr, length(block), to);
    });
    return {};
  }

  Index length(Index block) const noexcept {
    return std::min(size_, tokens_ - block * size_);
  }

  void bring(Index entry, Index slot) noexcept {
    const Index head = entry / blocks_, block = entry % blocks_, own = length(block);
    const BlockChoice choice = choices_[entry];
    const Index sorted = options_.causal && block == 0 ? 0 : length(choice.block);
    float* queries = queries_.data() + slot * size_ * width_;
    float* keys = keys_.data() + slot * 2 * size_ * width_;
    float* values = values_.data() + slot * 2 * size_ * value_width_;
    put(heads_.at(query_, 2, head), block, own, 1, queries);
    put(heads_.at(key_, 2, head), choice.block, sorted, choice.factor, keys);
    put(heads_.at(key_, 2, head), block, own, 1, keys + sorted * width_);
    put(heads_.at(value_, 2, head), choice.block, sorted, choice.factor, values);
    put(heads_.at(value_, 2, head), block, own, 1, values + sorted * value_width_);
    // What is left is behind the mask, but is read.
    std::fill(queries + own * width_, queries + size_ * width_, 0.0f);
    std::fill(keys + (sorted + own) * width_, keys + 2 * size_ * width_, 0.0f);
    std::fill(values + (sorted + own) * value_width_, values + 2 * size_ * value_width_, 0.0f);
    if (ranges_.size() == 0) return;
    for (Index i = 0; i < size_; ++i) {
      const Index seen = i >= own ? 0 : sorted + (options_.causal ? i + 1 : own);
      ranges_[slot * size_ + i] = {0, static_cast<std::int32_t>(seen)};
    }
  }

  void put(ConstTensorView from, Index block, Index count, float factor, float* to) const noexcept {
    from.data += block * size_ * from.strides[0];
    gather_rows(from, nullptr, count, to);
    if (factor == 1) return;
    for (Index n = 0; n < count * from.shape[1]; ++n) to[n] *= factor;
  }

  const Heads& heads_;
  const ConstTensorView &query_, &key_, &value_;
  const TensorView& result_;
  const SinkhornOptions& options_;
  const Index count_ = heads_.count();
  const Index tokens_ = query_.shape.back(1), width_ = query_.shape.back(0);
  const Index value_width_ = value_.shape.back(0);
  const Index size_ = std::min(options_.block_size, std::max<Index>(tokens_, 1));
  const Index blocks_ = sinkhorn_blocks(tokens_, options_.block_size);
  Buffer<BlockChoice> choices_;
  Buffer<float> queries_, keys_, values_, output_;
  Buffer<KeyRange> ranges_;
};

Status check_options(const ConstTensorView& query, const ConstTensorView& key,
                     const SinkhornOptions& options, Heads& heads) {
  const Index tokens = query.shape.back(1), width = query.shape.back(0);
  if (key.shape.back(1) != tokens) {
    return shape_error("Sinkhorn attention: queries and keys are the same tokens, saw ", tokens,
                       " and ", key.shape.back(1));
  }
  if (options.block_size < 1) {
    return argument_error("blockSize: expected 1 or more, saw ", options.block_size);
  }
  if (options.iterations < 1) {
    return argument_error("iterations: expected 1 or more, saw ", options.iterations);
  }
  if (!(options.temperature > 0 && std::isfinite(options.temperature))) {
    return argument_error("temperature: expected a number above 0, saw ", options.temperature);
  }
  const Index blocks = sinkhorn_blocks(tokens, options.block_size);
  const ConstTensorView& weights = options.sort_weights;
  QKV_TRY(add_within("sortWeights", weights, 2, heads));
  if (weights.shape.back(1) != 2 * width || weights.shape.back(0) != blocks) {
    return shape_error("sortWeights: expected [", 2 * width, ", ", blocks, "] for ", tokens,
                       " tokens of ", width, " features in blocks of ", options.block_size,
                       ", saw ", weights.shape);
  }
  if (options.sorting.data == nullptr) return {};
  return check_shape("sorting", options.sorting, heads.with(blocks, blocks));
}

}  // namespace

Status try_sinkhorn_attention(const ConstTensorView& query, const ConstTensorView& key,
                              const ConstTensorView& value, const TensorView& result,
                              const SinkhornOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_call(query, key, value, result, heads));
    QKV_TRY(check_options(query, key, options, heads));
    return Sinkhorn(heads, query, key, value, result, options).run();
  });
}

namespace {

constexpr MechanismParameter parameters[] = {
    {"blockSize", 64, 1}, {"iterations", 5, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* p) {
  const double tokens = static_cast<double>(n), blocks = std::ceil(tokens / p[0]);
  const double block = std::min(p[0], tokens);
  return {4 * tokens * block * d + 2 * blocks * blocks * (d + p[1]),
          4 * (std::min<double>(6 * blocks * block * d, enough_floats) + 6 * blocks * d) +
              12 * blocks * blocks};
}

constexpr const char* weight_names[] = {"sortWeights"};

Status draw(Index n, Index d, const double* p, Tensor* weights) {
  const Index blocks = sinkhorn_blocks(n, static_cast<Index>(p[0]));
  const double deviation = 1 / std::sqrt(2.0 * static_cast<double>(d));
  return drawn::normal(p[2], 0, {2 * d, blocks}, deviation, weights[0]);
}

Status run(const ConstTensorView& x, const double* p, const ConstTensorView* weights,
           const TensorView& result) {
  SinkhornOptions options;
  options.block_size = static_cast<Index>(p[0]);
  options.iterations = static_cast<Index>(p[1]);
  options.sort_weights = weights[0];
  return try_sinkhorn_attention(x, x, x, result, options);
}

}  // namespace

const Mechanism catalogue::sinkhorn = {
    .name = "sinkhorn",
    .title = "Sparse Sinkhorn attention",
    .paper = "Tay et al. 2020, arXiv:2002.11296",
    .year = 2020,
    .family = Family::content,
    .exact = false,
    .causal = true,
    .time = "n blockSize d + (n / blockSize)^2 (d + iterations)",
    .memory = "(n / blockSize) d + (n / blockSize)^2",
    .trap = "Sums over whole blocks let a block see its own future; a causal sort may only read "
            "what came before the block.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
