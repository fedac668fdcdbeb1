// One band at work: its state, and what is done to it, tile by tile. The parts are in files of their
// own: band.cpp walks the tiles, band_panels.cpp runs panels of queries, band_rows.cpp queries by
// themselves, and band_results.cpp writes what came of it.
#pragma once

#include <algorithm>
#include <limits>

#include "attention/band.hpp"
#include "exact_math.hpp"

namespace qkv {

class BandTask {
 public:
  BandTask(const Problem& problem, const Kernels& kernels, const OperandStore& store,
           const Operands& operands, const Band& band, const TileRange& tiles,
           float* memory) noexcept
      : problem_(problem),
        kernels_(kernels),
        store_(store),
        operands_(operands),
        band_(band),
        tiles_(tiles),
        scratch_(memory, problem, kernels),
        lanes_(kernels.lanes),
        panels_(ceil_div(band.rows, kernels.lanes)),
        exact_sums_(problem.sums_exactly()) {}

  // All keys, down to the results.
  void run() noexcept;
  // Only the keys of the range, down to a partial result.
  void run(const Partial& partial) noexcept;
  // The results from those of all ranges.
  void merge(float* partials, Index count) noexcept;

 private:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  // band.cpp: the mask, queries, the state to begin with.
  void walk() noexcept;

  // Rows that are heads of one query have a mask each.
  Band row_band(Index i) const noexcept { return {band_.batch, head_of(i), 0, 1}; }
  Index head_of(Index i) const noexcept {
    return problem_.folded == 1 ? band_.head : band_.head * problem_.folded + band_.first + i;
  }
  TileStates states_of(Index word) const noexcept;
  Index bits_of(Index tile, std::uint64_t* rows) const noexcept;

  void load_queries() noexcept;
  Index lanes_in(Index panel) const noexcept {
    return std::min(lanes_, band_.rows - panel * lanes_);
  }
  const float* query_row(Index i) noexcept;

  void start(bool whole) noexcept;
  // The sink counts once, whatever the ranges.
  void start_state(bool with_sink) noexcept;
  void start_rows() noexcept;
  float* row_of(const OutputRows& rows, Index i) const noexcept;
  void fill_row(const OutputRows& rows, float value) const noexcept;

  // band_panels.cpp: tiles, most of them by panels.
  void run_tile(Index tile, bool full) noexcept;
  // A panel meets whole groups of keys of one tile, from the first to the last that it sees.
  struct Keys {
    Index first;
    Index count;
  };
  Keys keys_of(Index tile, std::uint64_t seen) const noexcept;
  // Each panel against the keys of a tile that some query of it sees, a bit for each; `columns`
  // tells which may meet, null for all. All panels' scores come before their sums: the tile's keys
  // and then its values stay in the first-level cache meanwhile.
  void run_panels(Index tile, const std::uint64_t* seen, const std::uint64_t* columns) noexcept;
  float* scores_of(Index panel) const noexcept {
    return scratch_.scores + panel * lanes_ * tile_size;
  }
  void score_panel(Index panel, const Keys& range, const std::uint64_t* columns) noexcept;
  void scale_scores(float* scores, Index count) const noexcept {
    for (Index i = 0; i < count; ++i) scores[i] *= problem_.scale;
  }
  void keep_scores(const OutputRows& rows, Index panel, const Keys& keys) const noexcept;
  bool started(Index panel) const noexcept { return (started_ >> panel & 1) != 0; }
  // Normalises the scores of a panel and adds the values that they weigh.
  void mix(Index panel, const Keys& range) noexcept;
  // Which of these keys have values that are not finite.
  std::uint64_t unsafe_of(const Keys& keys) const noexcept;
  // The only tile of rows of few keys: turns what the softmax left into weights that sum to 1.
  void divide(Index panel, Index keys, const float* factor) noexcept;

  // band_rows.cpp: queries by themselves. They have a softmax state of their own, joined with the
  // panels' at the end.

  //
  // Allowed pairs of tiles that are nearly empty. Keys of a query are collected over tiles and run
  // together, as what a run costs besides its pairs is that of several pairs.
  void run_rows(Index tile, const std::uint64_t* rows) noexcept;
  // All pairs from the mask's own lists; false where it has none, or their pairs are not few.
  bool run_lists() noexcept;
  void collect(Index i, Index key) noexcept;
  // What is left in the end.
  void run_collected() noexcept;
  void run_row(Index i) noexcept;
  // Whether a tile without forbidden pairs may be run densely: a value that is not finite must not
  // meet a weight of 0.
  bool may_run_few(Index tile) const noexcept;
  // All pairs of a tile, a few queries at a time.
  void run_few(Index tile, Index keys) noexcept;
  // Softcap and bias.
  void change_scores(Index i, Index first_key, float* scores, const std::int32_t* index,
                     Index count) const noexcept;
  // Scores of one query to weights, kept where they are asked for. Returns the factor for what was
  // summed before.
  float weigh(Index i, Index first_key, float* scores, const std::int32_t* index,
              Index count) noexcept;
  float dropout(Index i, Index key) const noexcept;

  // band_rows.cpp: normalizers by which one key wins.
  void pick(Index panel, const Keys& keys) noexcept;
  // Of equal keys the first wins, in whatever order they come. NaN beats everything: the query's
  // result is then NaN.
  void challenge(Index i, Index key, float score) noexcept;

  // band_results.cpp: results of the whole, or of a range of keys.
  void finish() noexcept;
  void write_chosen(Index i, float* output) const noexcept;
  void write_panel(Index panel) noexcept;
  // What the sums of values are divided by.
  float total_of(Index i) const noexcept;
  // A panel's sums of values, row by row.
  void gather(Index panel, float* rows, Index row_step, const float* divisor) const noexcept;

  void save(const Partial& partial) noexcept;
  void add(const Partial& partial, Index i) noexcept;
  // Joins a row's state with the panel's and gives the factors for both sums.
  void join(Index i, float& factor, float& row_factor) noexcept;
  // For sums of exp(score - before), to be sums of exp(score - maximum). A maximum of -infinity says
  // that there is nothing yet.
  static float decay(float before, float maximum) noexcept {
    if (before == maximum) return 1;
    return static_cast<float>(exact_exp(static_cast<double>(before) - maximum));
  }
  // The kept scores of a query become its weights, 64 at a time through memory of our own, since
  // the caller's may have any stride.
  void write_weights(Index i) noexcept;
  void to_weights(Index i, Index first, Index count, float* block) noexcept;

  const Problem& problem_;
  const Kernels& kernels_;
  const OperandStore& store_;
  const Operands& operands_;
  const Band band_;
  const TileRange tiles_;
  BandScratch scratch_;
  const Index lanes_;
  const Index panels_;
  const bool exact_sums_;

  // Online softmax of the panels' queries; the maximum and sum of all pairs in the end.
  float maximum_[tile_size], sum_[tile_size];
  std::uint64_t started_ = 0;  // panels whose sums of values have begun
  bool has_row_state_ = false;
  float row_maximum_[tile_size], row_sum_[tile_size];
  Index pending_[tile_size] = {};  // how many keys of each query are collected
  bool has_query_rows_ = false;
  // Of normalizers that pick one key.
  double best_[tile_size];
  Index chosen_[tile_size];
};

}  // namespace qkv
