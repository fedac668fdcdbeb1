#include "attention/band.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "attention/randomness.hpp"
#include "layout.hpp"
#include "exact_math.hpp"

namespace qkv {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// A pair run by itself costs about as much as eight run in a panel.
constexpr Index row_cost = 8;

// Rows of bits to columns of bits: bit i of columns[j] is bit j of rows[i].
void transpose(const std::uint64_t* rows, Index count, std::uint64_t* columns) noexcept {
  for (Index i = 0; i < tile_size; ++i) columns[i] = i < count ? rows[i] : 0;
  // Swap ever smaller blocks across the diagonal.
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (int size = 32; size != 0; size >>= 1, mask ^= mask << size) {
    for (int i = 0; i < 64; i = ((i | size) + 1) & ~size) {
      const std::uint64_t swap = ((columns[i] >> size) ^ columns[i | size]) & mask;
      columns[i] ^= swap << size;
      columns[i | size] ^= swap;
    }
  }
}

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
  void run() noexcept {
    start(true);
    walk();
    finish();
  }

  // Only the keys of the range, down to a partial result.
  void run(const Partial& partial) noexcept {
    start(false);
    walk();
    save(partial);
  }

  // The results from those of all ranges.
  void merge(float* partials, Index count) noexcept {
    start_state(true);
    start_rows();
    for (; count > 0; --count, partials += Partial::floats(problem_.value_width)) {
      for (Index i = 0; i < band_.rows; ++i) add(Partial(partials), i);
    }
    finish();
  }

 private:
  void walk() noexcept {
    load_queries();
    for (Index word = tiles_.first / tiles_in_word; word * tiles_in_word < tiles_.last; ++word) {
      const Index origin = word * tiles_in_word;
      const TileStates states = states_of(word);
      std::uint64_t any = states.any & bit_range(tiles_.first - origin, tiles_.last - origin);
      for (; any != 0; any &= any - 1) {
        const int bit = std::countr_zero(any);
        run_tile(origin + bit, (states.all >> bit & 1) != 0);
      }
    }
  }

  // --- the mask ----------------------------------------------------------------------------------

  // Rows that are heads of one query have a mask each.
  Band row_band(Index i) const noexcept { return {band_.batch, head_of(i), 0, 1}; }
  Index head_of(Index i) const noexcept {
    return problem_.folded == 1 ? band_.head : band_.head * problem_.folded + band_.first + i;
  }

  TileStates states_of(Index word) const noexcept {
    if (problem_.folded == 1) return problem_.plan.tiles(band_, word);
    TileStates states{0, ~std::uint64_t{0}};
    for (Index i = 0; i < band_.rows; ++i) {
      const TileStates row = problem_.plan.tiles(row_band(i), word);
      states.any |= row.any;
      states.all &= row.all;
    }
    return states;
  }

  Index bits_of(Index tile, std::uint64_t* rows) const noexcept {
    if (problem_.folded == 1) return problem_.plan.bits(band_, tile, rows);
    Index pairs = 0;
    for (Index i = 0; i < band_.rows; ++i) {
      std::uint64_t row[tile_size];
      pairs += problem_.plan.bits(row_band(i), tile, row);
      rows[i] = row[0];
    }
    return pairs;
  }

  // --- queries -----------------------------------------------------------------------------------

  void load_queries() noexcept {
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

  Index lanes_in(Index panel) const noexcept {
    return std::min(lanes_, band_.rows - panel * lanes_);
  }

  const float* query_row(Index i) noexcept {
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

  // --- state -------------------------------------------------------------------------------------

  void start(bool whole) noexcept {
    start_state(whole);
    fill_row(problem_.scores, -infinity);
    fill_row(problem_.weights, -infinity);
  }

  // The sink counts once, whatever the ranges.
  void start_state(bool with_sink) noexcept {
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

  void start_rows() noexcept {
    if (has_row_state_) return;
    std::fill_n(row_maximum_, tile_size, -infinity);
    std::fill_n(row_sum_, tile_size, 0.0f);
    std::fill_n(scratch_.row_output, band_.rows * problem_.value_width, 0.0f);
    has_row_state_ = true;
  }

  float* row_of(const OutputRows& rows, Index i) const noexcept {
    return rows.data + problem_.offset(rows, band_.batch, band_.head) +
           (band_.first + i) * rows.row_step;
  }

  void fill_row(const OutputRows& rows, float value) const noexcept {
    if (rows.data == nullptr) return;
    const Index last = std::min(tiles_.last * tile_size, problem_.key_length);
    for (Index i = 0; i < band_.rows; ++i) {
      float* row = row_of(rows, i);
      for (Index j = tiles_.first * tile_size; j < last; ++j) row[j * rows.step] = value;
    }
  }

  // --- tiles -------------------------------------------------------------------------------------

  void run_tile(Index tile, bool full) noexcept {
    const Index keys = std::min(tile_size, problem_.key_length - tile * tile_size);
    if (full && !store_.by_rows()) return run_panels(~std::uint64_t{0}, tile, keys, nullptr);
    if (full && may_run_few(tile)) return run_few(tile, keys);
    std::uint64_t rows[tile_size];
    const Index pairs = bits_of(tile, rows);
    if (pairs == 0) return;
    if (store_.by_rows()) return run_rows(tile, rows);

    std::uint64_t touched = 0;
    std::uint64_t columns[tile_size];
    transpose(rows, band_.rows, columns);
    for (Index j = 0; j < keys; ++j) touched |= columns[j];
    Index panels = 0;
    for (Index panel = 0; panel < panels_; ++panel) panels += touches(touched, panel) ? 1 : 0;
    if (!exact_sums_ && pairs * row_cost <= panels * lanes_ * keys) return run_rows(tile, rows);
    run_panels(touched, tile, keys, pairs == band_.rows * keys ? nullptr : columns);
  }

  // The panels that hold one of `queries` against all keys of a tile; `columns` tells which may
  // meet, null for all. All panels' scores come before their sums: the tile's keys and then its
  // values stay in the first-level cache meanwhile.
  void run_panels(std::uint64_t queries, Index tile, Index keys,
                  const std::uint64_t* columns) noexcept {
    for (Index panel = 0; panel < panels_; ++panel) {
      if (touches(queries, panel)) score_panel(panel, tile, keys, columns);
    }
    for (Index panel = 0; panel < panels_; ++panel) {
      if (!touches(queries, panel)) continue;
      if (problem_.picks_one()) {
        pick(panel, tile * tile_size, keys);
      } else {
        mix(panel, tile, keys);
      }
    }
  }

  float* scores_of(Index panel) const noexcept {
    return scratch_.scores + panel * lanes_ * tile_size;
  }

  bool touches(std::uint64_t queries, Index panel) const noexcept {
    return (queries & bit_range(panel * lanes_, (panel + 1) * lanes_)) != 0;
  }

  void score_panel(Index panel, Index tile, Index keys, const std::uint64_t* columns) noexcept {
    float* scores = scores_of(panel);
    const Index width = problem_.score_width;
    const float* query = scratch_.queries + panel * lanes_ * width;
    const Index first_key = tile * tile_size;
    if (store_.additive_vector() != nullptr) {
      kernels_.additive_scores(scores, query, operands_.key_rows + first_key * operands_.key_step,
                               operands_.key_step, store_.additive_vector(), keys, width);
      scale_scores(scores, keys * lanes_);
    } else {
      kernels_.scores(scores, query, operands_.packed + first_key * width, keys, width);
    }
    if (problem_.options->softcap != 0) {
      kernels_.softcap(scores, keys * lanes_, problem_.options->softcap);
    }
    if (problem_.bias.data != nullptr) {
      const Rows& bias = problem_.bias;
      const float* from = bias.data + problem_.offset(bias, band_.batch, band_.head) +
                          (band_.first + panel * lanes_) * bias.row_step + first_key * bias.step;
      pack_panel(kernels_, scratch_.bias, from, bias.row_step, bias.step, lanes_in(panel), keys);
      kernels_.add(scores, scratch_.bias, keys * lanes_);
    }
    if (columns != nullptr) {
      kernels_.select(scores, columns, static_cast<int>(panel * lanes_), keys);
    }
    keep_scores(problem_.scores, panel, first_key, keys);
    keep_scores(problem_.weights, panel, first_key, keys);
  }

  void scale_scores(float* scores, Index count) const noexcept {
    for (Index i = 0; i < count; ++i) scores[i] *= problem_.scale;
  }

  void keep_scores(const OutputRows& rows, Index panel, Index first_key, Index keys) const noexcept {
    if (rows.data == nullptr) return;
    unpack_panel(kernels_, scores_of(panel), row_of(rows, panel * lanes_) + first_key * rows.step,
                 rows.row_step, rows.step, lanes_in(panel), keys);
  }

  bool started(Index panel) const noexcept { return (started_ >> panel & 1) != 0; }

  // Normalises the scores of a panel and adds the values that they weigh.
  void mix(Index panel, Index tile, Index keys) noexcept {
    float* weights = scores_of(panel);
    float factor[tile_size];
    const std::uint64_t unsafe = operands_.unsafe != nullptr ? operands_.unsafe[tile] : 0;
    std::uint64_t meets[tile_size];  // lanes that an unsafe value may reach
    for (std::uint64_t word = unsafe; word != 0; word &= word - 1) {
      const int j = std::countr_zero(word);
      meets[j] = 0;
      for (Index i = 0; i < lanes_; ++i) {
        meets[j] |= std::uint64_t{weights[j * lanes_ + i] != -infinity} << i;
      }
    }
    if (problem_.normalized_by<normalizer::Softmax>()) {
      kernels_.softmax(weights, keys, maximum_ + panel * lanes_, sum_ + panel * lanes_, factor);
      if (exact_sums_) divide(panel, keys, factor);
    } else {
      std::fill_n(factor, lanes_, 1.0f);
      if (problem_.normalized_by<normalizer::Relu>()) {
        kernels_.relu(weights, keys, sum_ + panel * lanes_);
      } else {
        kernels_.sigmoid(weights, keys * lanes_);
      }
    }
    if (problem_.options->dropout) {
      for (Index i = 0; i < lanes_in(panel); ++i) {
        for (Index j = 0; j < keys; ++j) {
          weights[j * lanes_ + i] *= dropout(panel * lanes_ + i, tile * tile_size + j);
        }
      }
    }
    const Index width = problem_.value_width;
    float* output = scratch_.output + panel * lanes_ * width;
    const float* values = operands_.values + tile * tile_size * operands_.value_step;
    const float* before = started(panel) ? factor : nullptr;
    started_ |= std::uint64_t{1} << panel;
    if (unsafe == 0) {
      kernels_.aggregate(output, weights, values, operands_.value_step, keys, width, before);
      return;
    }
    // Zero times infinity is NaN: a value that is not finite may only reach the lanes that see it.
    for (Index j = 0; j < keys; ++j) {
      const bool safe = (unsafe >> j & 1) == 0;
      for (Index d = 0; d < width; ++d) {
        scratch_.safe_values[j * width + d] = safe ? values[j * operands_.value_step + d] : 0;
      }
    }
    kernels_.aggregate(output, weights, scratch_.safe_values, width, keys, width, before);
    for (std::uint64_t word = unsafe; word != 0; word &= word - 1) {
      const int j = std::countr_zero(word);
      for (std::uint64_t lanes = meets[j]; lanes != 0; lanes &= lanes - 1) {
        const int i = std::countr_zero(lanes);
        for (Index d = 0; d < width; ++d) {
          output[d * lanes_ + i] +=
              weights[j * lanes_ + i] * values[j * operands_.value_step + d];
        }
      }
    }
  }

  // The only tile of rows of few keys: turns what the softmax left into weights that sum to 1.
  void divide(Index panel, Index keys, const float* factor) noexcept {
    float* scores = scores_of(panel);
    for (Index i = 0; i < lanes_in(panel); ++i) {
      const bool sink = static_cast<bool>(problem_.options->sinks);
      double sum = sink ? factor[i] : 0;
      for (Index j = 0; j < keys; ++j) sum += scores[j * lanes_ + i];
      if (sum == 0) continue;
      for (Index j = 0; j < keys; ++j) {
        float& weight = scores[j * lanes_ + i];
        weight = static_cast<float>(weight / sum);
      }
    }
  }

  // --- queries by themselves ---------------------------------------------------------------------

  // Queries by themselves have a softmax state of their own, joined with the panels' at the end.

  // The allowed pairs of a tile one query at a time.
  void run_rows(Index tile, const std::uint64_t* rows) noexcept {
    start_rows();
    for (Index i = 0; i < band_.rows; ++i) {
      if (rows[i] != 0) run_row(i, tile, rows[i]);
    }
  }

  void run_row(Index i, Index tile, std::uint64_t allowed) noexcept {
    const Index first_key = tile * tile_size;
    std::int32_t index[tile_size];
    float scores[tile_size];
    Index count = 0;
    for (; allowed != 0; allowed &= allowed - 1) index[count++] = std::countr_zero(allowed);

    const float* keys = operands_.key_rows + first_key * operands_.key_step;
    if (store_.additive_vector() != nullptr) {
      kernels_.row_additive_scores(scores, query_row(i), keys, operands_.key_step,
                                   store_.additive_vector(), index, count, problem_.score_width);
      scale_scores(scores, count);
    } else {
      kernels_.row_scores(scores, query_row(i), keys, operands_.key_step, index, count,
                          problem_.score_width);
    }
    change_scores(i, first_key, scores, index, count);
    if (problem_.may_exclude) {
      // A score of -infinity excludes the pair, whatever its value holds.
      Index kept = 0;
      for (Index k = 0; k < count; ++k) {
        if (scores[k] == -infinity) continue;
        scores[kept] = scores[k];
        index[kept++] = index[k];
      }
      count = kept;
    }
    const float factor = weigh(i, first_key, scores, index, count);
    if (problem_.picks_one()) return;
    kernels_.row_aggregate(scratch_.row_output + i * problem_.value_width, scores,
                           operands_.values + first_key * operands_.value_step,
                           operands_.value_step, index, count, problem_.value_width, factor);
  }

  // Whether a tile without forbidden pairs may be run densely: a value that is not finite must not
  // meet a weight of 0.
  bool may_run_few(Index tile) const noexcept {
    return store_.additive_vector() == nullptr &&
           (operands_.unsafe == nullptr || operands_.unsafe[tile] == 0);
  }

  // All pairs of a tile, a few queries at a time.
  void run_few(Index tile, Index keys) noexcept {
    start_rows();
    const Index first_key = tile * tile_size, width = problem_.value_width;
    std::int32_t index[tile_size];
    for (Index j = 0; j < keys; ++j) index[j] = static_cast<std::int32_t>(j);
    for (Index first = 0; first < band_.rows; first += most_few) {
      const Index count = std::min<Index>(most_few, band_.rows - first);
      float scores[most_few * tile_size], factor[most_few];
      kernels_.few_scores(scores, tile_size, query_row(first), problem_.score_width, count,
                          operands_.key_rows + first_key * operands_.key_step, operands_.key_step,
                          keys, problem_.score_width);
      for (Index q = 0; q < count; ++q) {
        change_scores(first + q, first_key, scores + q * tile_size, index, keys);
        factor[q] = weigh(first + q, first_key, scores + q * tile_size, index, keys);
      }
      if (problem_.picks_one()) continue;
      kernels_.few_aggregate(scratch_.row_output + first * width, width, scores, tile_size, count,
                             operands_.values + first_key * operands_.value_step,
                             operands_.value_step, keys, width, factor);
    }
  }

  // Softcap and bias.
  void change_scores(Index i, Index first_key, float* scores, const std::int32_t* index,
                     Index count) const noexcept {
    if (problem_.options->softcap != 0) kernels_.softcap(scores, count, problem_.options->softcap);
    const Rows& bias = problem_.bias;
    if (bias.data == nullptr) return;
    const float* row = bias.data + problem_.offset(bias, band_.batch, band_.head) +
                       (band_.first + i) * bias.row_step + first_key * bias.step;
    for (Index k = 0; k < count; ++k) scores[k] += row[index[k] * bias.step];
  }

  // Scores of one query to weights, kept where they are asked for. Returns the factor for what was
  // summed before.
  float weigh(Index i, Index first_key, float* scores, const std::int32_t* index,
              Index count) noexcept {
    for (const OutputRows* kept : {&problem_.scores, &problem_.weights}) {
      if (kept->data == nullptr) continue;
      float* row = row_of(*kept, i) + first_key * kept->step;
      for (Index k = 0; k < count; ++k) row[index[k] * kept->step] = scores[k];
    }
    float factor = 1;
    if (problem_.picks_one()) {
      for (Index k = 0; k < count; ++k) challenge(i, first_key + index[k], scores[k]);
      return factor;
    }
    if (problem_.normalized_by<normalizer::Softmax>()) {
      factor = kernels_.row_softmax(scores, count, &row_maximum_[i], &row_sum_[i]);
    } else if (problem_.normalized_by<normalizer::Relu>()) {
      for (Index k = 0; k < count; ++k) {
        if (scores[k] < 0) scores[k] = 0;
        row_sum_[i] += scores[k];
      }
    } else {
      kernels_.sigmoid(scores, count);
    }
    if (problem_.options->dropout) {
      for (Index k = 0; k < count; ++k) scores[k] *= dropout(i, first_key + index[k]);
    }
    return factor;
  }

  float dropout(Index i, Index key) const noexcept {
    const std::uint64_t row = problem_.stream_row(band_.batch, band_.head, band_.first + i);
    return dropout_factor(*problem_.options->dropout, problem_.keep_scale, row, key);
  }

  // --- one key wins ------------------------------------------------------------------------------

  void pick(Index panel, Index first_key, Index keys) noexcept {
    for (Index i = 0; i < lanes_in(panel); ++i) {
      for (Index j = 0; j < keys; ++j) {
        const float score = scores_of(panel)[j * lanes_ + i];
        if (score != -infinity) challenge(panel * lanes_ + i, first_key + j, score);
      }
    }
  }

  // Keys come in rising order, so that of equal ones the first stays. NaN beats everything: the
  // query's result is then NaN.
  void challenge(Index i, Index key, float score) noexcept {
    double strength = score;
    if (const auto* sample = std::get_if<normalizer::Sample>(&problem_.options->normalizer)) {
      const std::uint64_t row = problem_.stream_row(band_.batch, band_.head, band_.first + i);
      strength += sampling_noise(sample->seed, row, key);
    }
    if (!(strength <= best_[i]) && !std::isnan(best_[i])) {
      best_[i] = strength;
      chosen_[i] = key;
    }
  }

  // --- results -----------------------------------------------------------------------------------

  void finish() noexcept {
    if (problem_.picks_one()) {
      for (Index i = 0; i < band_.rows; ++i) write_chosen(i, row_of(problem_.output, i));
    } else {
      for (Index panel = 0; panel < panels_; ++panel) write_panel(panel);
    }
    for (Index i = 0; i < band_.rows; ++i) {
      if (problem_.weights.data != nullptr) write_weights(i);
      if (problem_.log_sum_exp.data != nullptr) {
        const double sum = sum_[i];
        *row_of(problem_.log_sum_exp, i) =
            sum == 0 ? -infinity : static_cast<float>(maximum_[i] + exact_log(sum));
      }
    }
  }

  void write_chosen(Index i, float* output) const noexcept {
    const Index step = problem_.output.step;
    const float weight =
        chosen_[i] >= 0 && problem_.options->dropout ? dropout(i, chosen_[i]) : 1.0f;
    for (Index d = 0; d < problem_.value_width; ++d) {
      float& to = output[d * step];
      if (chosen_[i] < 0) {
        to = 0;
      } else if (std::isnan(best_[i])) {
        to = not_a_number;
      } else {
        to = weight * operands_.values[chosen_[i] * operands_.value_step + d];
      }
    }
  }

  void write_panel(Index panel) noexcept {
    const OutputRows& output = problem_.output;
    const Index width = problem_.value_width, first = panel * lanes_, count = lanes_in(panel);
    const bool direct = output.step == 1 && !has_row_state_ && started(panel);
    float* rows = direct ? row_of(output, first) : scratch_.rows;
    const Index row_step = direct ? output.row_step : width;
    float factor[tile_size], row_factor[tile_size], total[tile_size];
    for (Index i = 0; i < lanes_; ++i) {
      factor[i] = row_factor[i] = total[i] = 1;
      if (i < count && has_row_state_) join(first + i, factor[i], row_factor[i]);
      if (i < count) total[i] = total_of(first + i);
    }
    gather(panel, rows, row_step, has_row_state_ ? nullptr : total);
    for (Index i = 0; i < count; ++i) {
      float* row = rows + i * row_step;
      if (has_row_state_) {
        const float* row_sums = scratch_.row_output + (first + i) * width;
        for (Index d = 0; d < width; ++d) {
          row[d] = (row[d] * factor[i] + row_sums[d] * row_factor[i]) / total[i];
        }
      }
      if (total[i] == 0) std::fill_n(row, width, 0.0f);
      if (direct) continue;
      float* to = row_of(output, first + i);
      for (Index d = 0; d < width; ++d) to[d * output.step] = row[d];
    }
  }

  // What the sums of values are divided by.
  float total_of(Index i) const noexcept {
    if (problem_.normalized_by<normalizer::Sigmoid>()) return 1;
    return exact_sums_ && sum_[i] != 0 ? 1 : sum_[i];  // divide() has been there
  }

  // A panel's sums of values, row by row.
  void gather(Index panel, float* rows, Index row_step, const float* divisor) const noexcept {
    const Index width = problem_.value_width;
    if (started(panel)) {
      kernels_.unpack(rows, row_step, scratch_.output + panel * lanes_ * width, divisor,
                      lanes_in(panel), width);
    } else {
      std::fill_n(rows, lanes_in(panel) * row_step, 0.0f);
    }
  }

  // --- ranges of keys ----------------------------------------------------------------------------

  void save(const Partial& partial) noexcept {
    const Index width = problem_.value_width;
    for (Index panel = 0; panel < panels_; ++panel) {
      gather(panel, partial.output + panel * lanes_ * width, width, nullptr);
    }
    for (Index i = 0; i < band_.rows; ++i) {
      if (has_row_state_) {
        float factor = 1, row_factor = 1;
        join(i, factor, row_factor);
        float* row = partial.output + i * width;
        const float* row_sums = scratch_.row_output + i * width;
        for (Index d = 0; d < width; ++d) row[d] = row[d] * factor + row_sums[d] * row_factor;
      }
      partial.maximum[i] = maximum_[i];
      partial.sum[i] = sum_[i];
    }
  }

  void add(const Partial& partial, Index i) noexcept {
    const Index width = problem_.value_width;
    float factor = 1, added_factor = 1;
    if (problem_.normalized_by<normalizer::Softmax>()) {
      const float largest = std::max(row_maximum_[i], partial.maximum[i]);
      factor = decay(row_maximum_[i], largest);
      added_factor = decay(partial.maximum[i], largest);
      row_maximum_[i] = largest;
    }
    row_sum_[i] = row_sum_[i] * factor + partial.sum[i] * added_factor;
    float* sums = scratch_.row_output + i * width;
    const float* added = partial.output + i * width;
    for (Index d = 0; d < width; ++d) sums[d] = sums[d] * factor + added[d] * added_factor;
  }

  // Joins a row's state with the panel's and gives the factors for both sums.
  void join(Index i, float& factor, float& row_factor) noexcept {
    if (problem_.normalized_by<normalizer::Softmax>()) {
      const float largest = std::max(row_maximum_[i], maximum_[i]);
      factor = decay(maximum_[i], largest);
      row_factor = decay(row_maximum_[i], largest);
      maximum_[i] = largest;
    }
    sum_[i] = sum_[i] * factor + row_sum_[i] * row_factor;
  }

  // For sums of exp(score - before), to be sums of exp(score - maximum). A maximum of -infinity says
  // that there is nothing yet.
  static float decay(float before, float maximum) noexcept {
    if (before == maximum) return 1;
    return static_cast<float>(exact_exp(static_cast<double>(before) - maximum));
  }

  // The kept scores of a query become its weights, 64 at a time through memory of our own, since
  // the caller's may have any stride.
  void write_weights(Index i) noexcept {
    const OutputRows& weights = problem_.weights;
    float* row = row_of(weights, i);
    for (Index first = 0; first < problem_.key_length; first += tile_size) {
      const Index count = std::min(tile_size, problem_.key_length - first);
      float block[tile_size];
      for (Index j = 0; j < count; ++j) block[j] = row[(first + j) * weights.step];
      to_weights(i, first, count, block);
      for (Index j = 0; j < count; ++j) row[(first + j) * weights.step] = block[j];
    }
  }

  void to_weights(Index i, Index first, Index count, float* block) noexcept {
    if (problem_.picks_one()) {
      for (Index j = 0; j < count; ++j) {
        const bool nan = std::isnan(best_[i]) && block[j] != -infinity;
        block[j] = nan ? not_a_number : first + j == chosen_[i] ? 1.0f : 0.0f;
      }
    } else if (problem_.normalized_by<normalizer::Sigmoid>()) {
      kernels_.sigmoid(block, count);
    } else if (sum_[i] == 0) {
      std::fill_n(block, count, 0.0f);
    } else if (problem_.normalized_by<normalizer::Relu>()) {
      for (Index j = 0; j < count; ++j) block[j] = block[j] < 0 ? 0 : block[j] / sum_[i];
    } else {
      kernels_.row_weights(block, count, maximum_[i], sum_[i]);
    }
    if (problem_.options->dropout) {
      for (Index j = 0; j < count; ++j) block[j] *= dropout(i, first + j);
    }
  }

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
  bool has_query_rows_ = false;
  // Of normalizers that pick one key.
  double best_[tile_size];
  Index chosen_[tile_size];
};

}  // namespace

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
