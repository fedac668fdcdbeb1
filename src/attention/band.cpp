#include "attention/band.hpp"

#include <bit>

#include "attention/band_task.hpp"
#include "layout.hpp"

namespace qkv {

void BandTask::run() noexcept {
  start(true);
  walk();
  finish();
}

void BandTask::run(const Partial& partial) noexcept {
  start(false);
  walk();
  save(partial);
}

void BandTask::merge(float* partials, Index count) noexcept {
  start_state(true);
  start_rows();
  for (; count > 0; --count, partials += Partial::floats(problem_.value_width)) {
    for (Index i = 0; i < band_.rows; ++i) add(Partial(partials), i);
  }
  finish();
}

void BandTask::walk() noexcept {
  load_queries();
  if (run_lists()) return;
  for (Index word = tiles_.first / tiles_in_word; word * tiles_in_word < tiles_.last; ++word) {
    const Index origin = word * tiles_in_word;
    const TileStates states = states_of(word);
    std::uint64_t any = states.any & bit_range(tiles_.first - origin, tiles_.last - origin);
    for (; any != 0; any &= any - 1) {
      const int bit = std::countr_zero(any);
      run_tile(origin + bit, (states.all >> bit & 1) != 0);
    }
  }
  run_collected();
}

TileStates BandTask::states_of(Index word) const noexcept {
  if (problem_.folded == 1) return problem_.plan.tiles(band_, word);
  TileStates states{0, ~std::uint64_t{0}};
  for (Index i = 0; i < band_.rows; ++i) {
    const TileStates row = problem_.plan.tiles(row_band(i), word);
    states.any |= row.any;
    states.all &= row.all;
  }
  return states;
}

Index BandTask::bits_of(Index tile, std::uint64_t* rows) const noexcept {
  if (problem_.folded == 1) return problem_.plan.bits(band_, tile, rows);
  Index pairs = 0;
  for (Index i = 0; i < band_.rows; ++i) {
    std::uint64_t row[tile_size];
    pairs += problem_.plan.bits(row_band(i), tile, row);
    rows[i] = row[0];
  }
  return pairs;
}

void BandTask::load_queries() noexcept {
  const Rows& query = problem_.query;
  const PackedWeight* weight = store_.query_weight();
  const bool cosine = problem_.scores_by<score::Cosine>();
  // The additive score is scaled at its end: it is not linear in the query.
  const float scale = problem_.scores_by<score::Additive>() ? 1 : problem_.scale;
  const float* rows = query.data + problem_.offset(query, band_.batch, band_.head) +
                      band_.first * query.row_step;
  const Index width = problem_.query_width;
  for (Index panel = 0; panel < panels_; ++panel) {
    const Index count = lanes_in(panel);
    const float* from = rows + panel * lanes_ * query.row_step;
    float* to = scratch_.queries + panel * lanes_ * problem_.score_width;
    if (cosine) {
      for (Index i = 0; i < count; ++i) {
        normalize(from + i * query.row_step, query.step, width, scratch_.query_rows + i * width);
      }
      pack_panel(kernels_, to, scratch_.query_rows, width, 1, count, width, scale);
    } else if (weight != nullptr) {
      pack_panel(kernels_, scratch_.raw, from, query.row_step, query.step, count, width, scale);
      weight->apply(kernels_, scratch_.raw, to);
    } else {
      pack_panel(kernels_, to, from, query.row_step, query.step, count, width, scale);
    }
  }
}

const float* BandTask::query_row(Index i) noexcept {
  const Index width = problem_.score_width;
  if (!has_query_rows_) {
    for (Index panel = 0; panel < panels_; ++panel) {
      unpack_panel(kernels_, scratch_.queries + panel * lanes_ * width,
                   scratch_.query_rows + panel * lanes_ * width, width, 1, lanes_in(panel), width);
    }
    has_query_rows_ = true;
  }
  return scratch_.query_rows + i * width;
}

void BandTask::start(bool whole) noexcept {
  start_state(whole);
  fill_row(problem_.scores, -infinity);
  fill_row(problem_.weights, -infinity);
}

void BandTask::start_state(bool with_sink) noexcept {
  const ConstTensorView& sinks = problem_.options->sinks;
  for (Index i = 0; i < tile_size; ++i) {
    const bool sink = sinks && with_sink && i < band_.rows;
    maximum_[i] = sink ? sinks.data[head_of(i) * sinks.strides[0]] : -infinity;
    sum_[i] = maximum_[i] != -infinity ? 1.0f : 0.0f;
  }
  if (problem_.picks_one()) {
    std::fill_n(best_, tile_size, -std::numeric_limits<double>::infinity());
    std::fill_n(chosen_, tile_size, Index{-1});
  }
}

void BandTask::start_rows() noexcept {
  if (has_row_state_) return;
  std::fill_n(row_maximum_, tile_size, -infinity);
  std::fill_n(row_sum_, tile_size, 0.0f);
  std::fill_n(scratch_.row_output, band_.rows * problem_.value_width, 0.0f);
  has_row_state_ = true;
}

float* BandTask::row_of(const OutputRows& rows, Index i) const noexcept {
  return rows.data + problem_.offset(rows, band_.batch, band_.head) +
         (band_.first + i) * rows.row_step;
}

void BandTask::fill_row(const OutputRows& rows, float value) const noexcept {
  if (rows.data == nullptr) return;
  const Index last = std::min(tiles_.last * tile_size, problem_.key_length);
  for (Index i = 0; i < band_.rows; ++i) {
    float* row = row_of(rows, i);
    for (Index j = tiles_.first * tile_size; j < last; ++j) row[j * rows.step] = value;
  }
}

void run_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
              const Operands& operands, const Band& band, float* memory) noexcept {
  BandTask(problem, kernels, store, operands, band, {0, problem.key_tiles()}, memory).run();
}

void run_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
              const Operands& operands, const Band& band, const TileRange& tiles,
              const Partial& partial, float* memory) noexcept {
  BandTask(problem, kernels, store, operands, band, tiles, memory).run(partial);
}

void merge_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
                const Operands& operands, const Band& band, float* partials, Index count,
                float* memory) noexcept {
  BandTask(problem, kernels, store, operands, band, {}, memory).merge(partials, count);
}

}  // namespace qkv
