// Top-k attention: the scores of a band of queries in memory, the largest of each row, and only the
// values of those.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "attention/operands.hpp"
#include "attention/problem.hpp"
#include "backend.hpp"
#include "layout.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/largest.hpp"
#include "memory.hpp"
#include "qkv/content.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class TopK {
 public:
  TopK(const Problem& problem, const Kernels& kernels, const TopKOptions& options) noexcept
      : problem_(problem),
        kernels_(kernels),
        threshold_(options.threshold),
        k_(std::min(options.k.value_or(problem.key_length), problem.key_length)),
        workers_(workers_for(static_cast<double>(problem.batch * problem.heads) *
                             problem.query_length * problem.key_length * problem.score_width)),
        store_(problem, kernels, workers_),
        bands_(ceil_div(problem.query_length, tile_size)) {}

  // Heads are prepared as many at a time as memory allows; their bands then run in any order.
  Status run() noexcept {
    QKV_TRY(store_.reserve());
    QKV_TRY(memory_.reserve(workers_ * floats_));
    QKV_TRY(places_.reserve(workers_ * integers_));
    const Index bands_of_head = problem_.group * bands_;
    for (Index first = 0; first < store_.count(); first += store_.capacity()) {
      const Index heads = std::min(store_.capacity(), store_.count() - first);
      store_.prepare(first, heads);
      parallel_for(heads * bands_of_head, workers_, [&](Index item, int worker) {
        const Index number = first + item / bands_of_head;
        const Index in_group = item / bands_ % problem_.group, at = item % bands_ * tile_size;
        run_band(store_.at(number),
                 {number / problem_.kv_heads,
                  number % problem_.kv_heads * problem_.group + in_group, at,
                  std::min(tile_size, problem_.query_length - at)},
                 worker);
      });
    }
    return {};
  }

 private:
  // One worker's memory.
  struct Scratch {
    float* queries;     // panels [score width][lanes], or rows
    float* tile;        // a panel's scores [64 keys][lanes]
    float* rows;        // scores of each query, side by side for the tiles that any may see
    float* weights;     // of one row
    float* scores;      // candidates
    float* spare;
    float* output;      // [value width]
    std::int32_t* tiles;   // the tiles whose scores `rows` holds
    std::int32_t* places;  // of candidates
  };

  Scratch scratch_of(int worker) noexcept {
    Scratch s;
    s.queries = memory_.data() + worker * floats_;
    s.tile = s.queries + tile_size * problem_.score_width;
    s.rows = s.tile + tile_size * kernels_.lanes;
    s.weights = s.rows + tile_size * row_step_;
    s.scores = s.weights + row_step_;
    s.spare = s.scores + problem_.key_length;
    s.output = s.spare + problem_.key_length;
    s.tiles = places_.data() + worker * integers_;
    s.places = s.tiles + problem_.key_tiles();
    return s;
  }

  void run_band(const Operands& operands, const Band& band, int worker) noexcept {
    const Scratch scratch = scratch_of(worker);
    load_queries(band, scratch);
    Index held = 0;
    for (Index word = 0; word * tiles_in_word < problem_.key_tiles(); ++word) {
      const TileStates states = states_of(band, word);
      for (std::uint64_t any = states.any; any != 0; any &= any - 1) {
        const int bit = std::countr_zero(any);
        const Index tile = word * tiles_in_word + bit;
        const Index keys = std::min(tile_size, problem_.key_length - tile * tile_size);
        score_tile(operands, band.rows, tile, keys, scratch, scratch.rows + held);
        if ((states.all >> bit & 1) == 0) exclude(band, tile, keys, scratch.rows + held);
        scratch.tiles[held / tile_size] = static_cast<std::int32_t>(tile);
        held += keys;  // only the last one may be short
      }
    }
    for (Index i = 0; i < band.rows; ++i) {
      finish_row(operands, scratch, scratch.rows + i * row_step_, held);
      const OutputRows& output = problem_.output;
      float* to = output.data + problem_.offset(output, band.batch, band.head) +
                  (band.first + i) * output.row_step;
      for (Index d = 0; d < problem_.value_width; ++d) to[d * output.step] = scratch.output[d];
    }
  }

  // Rows that are heads of one query have a mask each; see resolve.
  Band row_band(const Band& band, Index i) const noexcept {
    return {band.batch, band.head * problem_.folded + band.first + i, 0, 1};
  }

  TileStates states_of(const Band& band, Index word) const noexcept {
    if (problem_.folded == 1) return problem_.plan.tiles(band, word);
    TileStates states{0, ~std::uint64_t{0}};
    for (Index i = 0; i < band.rows; ++i) {
      const TileStates row = problem_.plan.tiles(row_band(band, i), word);
      states.any |= row.any;
      states.all &= row.all;
    }
    return states;
  }

  void load_queries(const Band& band, const Scratch& scratch) const noexcept {
    const Rows& query = problem_.query;
    const Index width = problem_.score_width, lanes = kernels_.lanes;
    const float* rows = query.data + problem_.offset(query, band.batch, band.head) +
                        band.first * query.row_step;
    if (!store_.by_rows()) {
      for (Index i = 0; i < band.rows; i += lanes) {
        pack_panel(kernels_, scratch.queries + i * width, rows + i * query.row_step,
                   query.row_step, query.step, std::min(lanes, band.rows - i), width,
                   problem_.scale);
      }
      return;
    }
    for (Index i = 0; i < band.rows; ++i) {
      for (Index d = 0; d < width; ++d) {
        scratch.queries[i * width + d] = rows[i * query.row_step + d * query.step] * problem_.scale;
      }
    }
  }

  void score_tile(const Operands& operands, Index count, Index tile, Index keys,
                  const Scratch& scratch, float* rows) const noexcept {
    const Index width = problem_.score_width, lanes = kernels_.lanes, first = tile * tile_size;
    if (store_.by_rows()) {
      return kernels_.few_scores(rows, row_step_, scratch.queries, width, count,
                                 operands.key_rows + first * operands.key_step, operands.key_step,
                                 keys, width);
    }
    for (Index i = 0; i < count; i += lanes) {
      kernels_.scores(scratch.tile, scratch.queries + i * width, operands.packed + first * width,
                      keys, width);
      kernels_.unpack(rows + i * row_step_, row_step_, scratch.tile, nullptr,
                      std::min(lanes, count - i), keys);
    }
  }

  void exclude(const Band& band, Index tile, Index keys, float* rows) const noexcept {
    std::uint64_t allowed[tile_size];
    if (problem_.folded == 1) problem_.plan.bits(band, tile, allowed);
    for (Index i = 0; i < band.rows; ++i) {
      if (problem_.folded != 1) problem_.plan.bits(row_band(band, i), tile, allowed + i);
      std::uint64_t forbidden = ~allowed[i] & bit_range(0, keys);
      for (; forbidden != 0; forbidden &= forbidden - 1) {
        rows[i * row_step_ + std::countr_zero(forbidden)] = -infinity;
      }
    }
  }

  // The output of one query from its scores.
  void finish_row(const Operands& operands, const Scratch& scratch, float* row,
                  Index held) const noexcept {
    const Index width = problem_.value_width;
    std::fill_n(scratch.output, width, 0.0f);
    if (threshold_) drop_below(row, held, scratch.weights);
    Largest largest(k_, scratch.scores, scratch.places, scratch.spare);
    if (!largest.choose(row, held)) {
      std::fill_n(scratch.output, width, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const Index kept = largest.count();
    if (kept == 0) return;
    for (Index c = 0; c < kept; ++c) {
      const Index place = scratch.places[c];
      scratch.places[c] = static_cast<std::int32_t>(
          scratch.tiles[place / tile_size] * tile_size + place % tile_size);
    }
    float maximum = -infinity, sum = 0;
    kernels_.row_softmax(scratch.scores, kept, &maximum, &sum);
    kernels_.row_aggregate(scratch.output, scratch.scores, operands.values, operands.value_step,
                           scratch.places, kept, width, 1);
    for (Index d = 0; d < width; ++d) scratch.output[d] /= sum;
  }

  // Excludes the keys whose weight, before anything is dropped, is below the threshold. With a NaN
  // among the scores all weights are NaN, and none is below.
  void drop_below(float* row, Index count, float* weights) const noexcept {
    std::copy_n(row, count, weights);
    float maximum = -infinity, sum = 0;
    kernels_.row_softmax(weights, count, &maximum, &sum);
    for (Index j = 0; j < count; ++j) {
      if (weights[j] / sum < *threshold_) row[j] = -infinity;
    }
  }

  const Problem& problem_;
  const Kernels& kernels_;
  const std::optional<float> threshold_;
  const Index k_;
  const int workers_;  // for the whole call, whatever set_threads does meanwhile
  OperandStore store_;
  const Index bands_;       // of a query head
  const Index row_step_ = problem_.key_length + 16;  // not a power of two, which the caches dislike
  const Index floats_ = tile_size * (problem_.score_width + kernels_.lanes + row_step_) +
                        row_step_ + 2 * problem_.key_length + problem_.value_width;
  const Index integers_ = problem_.key_tiles() + problem_.key_length;
  Buffer<float> memory_;
  Buffer<std::int32_t> places_;
};

Status check_options(const TopKOptions& options) {
  if (!options.k && !options.threshold) {
    return argument_error("top-k attention: expected k, threshold or both, saw neither");
  }
  if (options.k && *options.k < 1) {
    return argument_error("k: expected a number of keys of 1 or more, saw ", *options.k);
  }
  if (options.threshold && !(*options.threshold >= 0 && *options.threshold <= 1)) {
    return argument_error("threshold: expected a weight from 0 to 1, saw ", *options.threshold);
  }
  return {};
}

}  // namespace

Status try_top_k_attention(const ConstTensorView& query, const ConstTensorView& key,
                           const ConstTensorView& value, const TensorView& result,
                           const TopKOptions& options) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    QKV_TRY(check_options(options));
    AttentionOptions exact;
    exact.scale = options.scale;
    exact.mask = options.mask;
    Problem problem;
    QKV_TRY(resolve(query, key, value, result, exact, problem));
    return TopK(problem, *kernels, options).run();
  });
}

namespace {

constexpr MechanismParameter parameters[] = {{"k", 32, 1}};

MechanismCost cost(Index n, Index d, const double* p) {
  const double pairs = static_cast<double>(n) * n, kept = std::min<double>(p[0], n);
  // Packed keys, and the scores of a band.
  return {pairs * d + n * kept * d, 4.0 * n * (d + tile_size)};
}

Status run(const ConstTensorView& x, const double* p, const ConstTensorView*,
           const TensorView& result) {
  TopKOptions options;
  options.k = static_cast<Index>(p[0]);
  return try_top_k_attention(x, x, x, result, options);
}

}  // namespace

const Mechanism catalogue::top_k = {
    .name = "top-k",
    .title = "Top-k attention",
    .paper = "Gupta et al. 2021, arXiv:2106.06899",
    .year = 2021,
    .family = Family::content,
    .exact = true,
    .causal = true,
    .time = "n^2 d + n k d",
    .memory = "n (d + 64)",
    .trap = "Every score is still computed: it saves the weighing of values and their traffic, "
            "not the comparisons.",
    .parameters = parameters,
    .cost = cost,
    .run = run,
};

}  // namespace qkv
