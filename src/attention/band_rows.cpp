#include <bit>
#include <cmath>
#include <utility>

#include "attention/band_task.hpp"
#include "attention/randomness.hpp"
#include "layout.hpp"

namespace qkv {

void BandTask::run_rows(Index tile, const std::uint64_t* rows) noexcept {
  for (Index i = 0; i < band_.rows; ++i) {
    for (std::uint64_t allowed = rows[i]; allowed != 0; allowed &= allowed - 1) {
      collect(i, tile * tile_size + std::countr_zero(allowed));
    }
  }
}

bool BandTask::run_lists() noexcept {
  if (problem_.folded != 1 || exact_sums_) return false;
  Index pairs = 0;
  for (Index i = 0; i < band_.rows; ++i) {
    Index count = 0;
    if (problem_.plan.keys_of(band_.first + i, count) == nullptr) return false;
    pairs += count;
  }
  // Fewer than one a row and tile: going through the tiles would find them one by one.
  if (pairs > band_.rows * problem_.key_tiles()) return false;
  const Index first = tiles_.first * tile_size, last = tiles_.last * tile_size;
  for (Index i = 0; i < band_.rows; ++i) {
    Index count = 0;
    const Index* keys = problem_.plan.keys_of(band_.first + i, count);
    for (Index k = 0; k < count; ++k) {
      const bool repeated = k > 0 && keys[k] == keys[k - 1];
      if (keys[k] >= first && keys[k] < last && !repeated) collect(i, keys[k]);
    }
  }
  run_collected();
  return true;
}

void BandTask::collect(Index i, Index key) noexcept {
  scratch_.pending[i * tile_size + pending_[i]++] = static_cast<std::int32_t>(key);
  if (pending_[i] == tile_size) run_row(i);
}

void BandTask::run_collected() noexcept {
  for (Index i = 0; i < band_.rows; ++i) {
    if (pending_[i] > 0) run_row(i);
  }
}

void BandTask::run_row(Index i) noexcept {
  start_rows();
  std::int32_t* index = scratch_.pending + i * tile_size;
  Index count = std::exchange(pending_[i], 0);
  float scores[tile_size];
  if (store_.additive_vector() != nullptr) {
    kernels_.row_additive_scores(scores, query_row(i), operands_.key_rows, operands_.key_step,
                                 store_.additive_vector(), index, count, problem_.score_width);
    scale_scores(scores, count);
  } else {
    kernels_.row_scores(scores, query_row(i), operands_.key_rows, operands_.key_step, index, count,
                        problem_.score_width);
  }
  change_scores(i, 0, scores, index, count);
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
  const float factor = weigh(i, 0, scores, index, count);
  if (problem_.picks_one()) return;
  kernels_.row_aggregate(scratch_.row_output + i * problem_.value_width, scores, operands_.values,
                         operands_.value_step, index, count, problem_.value_width, factor);
}

bool BandTask::may_run_few(Index tile) const noexcept {
  return store_.additive_vector() == nullptr &&
         (operands_.unsafe == nullptr || operands_.unsafe[tile] == 0);
}

void BandTask::run_few(Index tile, Index keys) noexcept {
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

void BandTask::change_scores(Index i, Index first_key, float* scores, const std::int32_t* index,
                   Index count) const noexcept {
  if (problem_.options->softcap != 0) kernels_.softcap(scores, count, problem_.options->softcap);
  const Rows& bias = problem_.bias;
  if (bias.data == nullptr) return;
  const float* row = bias.data + problem_.offset(bias, band_.batch, band_.head) +
                     (band_.first + i) * bias.row_step + first_key * bias.step;
  for (Index k = 0; k < count; ++k) scores[k] += row[index[k] * bias.step];
}

float BandTask::weigh(Index i, Index first_key, float* scores, const std::int32_t* index,
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

float BandTask::dropout(Index i, Index key) const noexcept {
  const std::uint64_t row = problem_.stream_row(band_.batch, band_.head, band_.first + i);
  return dropout_factor(*problem_.options->dropout, problem_.keep_scale, row, key);
}

void BandTask::pick(Index panel, const Keys& keys) noexcept {
  for (Index i = 0; i < lanes_in(panel); ++i) {
    for (Index j = 0; j < keys.count; ++j) {
      const float score = scores_of(panel)[j * lanes_ + i];
      if (score != -infinity) challenge(panel * lanes_ + i, keys.first + j, score);
    }
  }
}

void BandTask::challenge(Index i, Index key, float score) noexcept {
  double strength = score;
  if (const auto* sample = std::get_if<normalizer::Sample>(&problem_.options->normalizer)) {
    const std::uint64_t row = problem_.stream_row(band_.batch, band_.head, band_.first + i);
    strength += sampling_noise(sample->seed, row, key);
  }
  const bool first = strength == best_[i] && key < chosen_[i];
  if ((!(strength <= best_[i]) || first) && !std::isnan(best_[i])) {
    best_[i] = strength;
    chosen_[i] = key;
  }
}

}  // namespace qkv
