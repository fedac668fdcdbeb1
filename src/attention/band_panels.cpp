#include <bit>
#include <functional>
#include <numeric>

#include "attention/band_task.hpp"
#include "attention/randomness.hpp"
#include "layout.hpp"

namespace qkv {
namespace {

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

}  // namespace

void BandTask::run_tile(Index tile, bool full) noexcept {
  const Index keys = std::min(tile_size, problem_.key_length - tile * tile_size);
  std::uint64_t seen[tile_size];
  if (full && !store_.by_rows()) {
    std::fill_n(seen, panels_, bit_range(0, keys));
    return run_panels(tile, seen, nullptr);
  }
  if (full && may_run_few(tile)) return run_few(tile, keys);
  std::uint64_t rows[tile_size];
  const Index pairs = bits_of(tile, rows);
  if (pairs == 0) return;
  if (store_.by_rows()) return run_rows(tile, rows);

  Index cells = 0;
  for (Index panel = 0; panel < panels_; ++panel) {
    const std::uint64_t* first = rows + panel * lanes_;
    seen[panel] = std::accumulate(first, first + lanes_in(panel), std::uint64_t{0}, std::bit_or<>());
    cells += lanes_ * keys_of(tile, seen[panel]).count;
  }
  if (!exact_sums_ && pairs * row_cost <= cells) return run_rows(tile, rows);
  std::uint64_t columns[tile_size];
  const bool all = pairs == band_.rows * keys;
  if (!all) transpose(rows, band_.rows, columns);
  run_panels(tile, seen, all ? nullptr : columns);
}

BandTask::Keys BandTask::keys_of(Index tile, std::uint64_t seen) const noexcept {
  if (seen == 0) return {tile * tile_size, 0};
  const Index group = kernels_.rows, keys = std::min(tile_size, problem_.key_length - tile * tile_size);
  const Index first = std::countr_zero(seen) / group * group;
  const Index last = std::min(ceil_div(std::bit_width(seen), group) * group, keys);
  return {tile * tile_size + first, last - first};
}

void BandTask::run_panels(Index tile, const std::uint64_t* seen,
                          const std::uint64_t* columns) noexcept {
  for (Index panel = 0; panel < panels_; ++panel) {
    if (seen[panel] != 0) score_panel(panel, keys_of(tile, seen[panel]), columns);
  }
  for (Index panel = 0; panel < panels_; ++panel) {
    if (seen[panel] == 0) continue;
    const Keys keys = keys_of(tile, seen[panel]);
    if (problem_.picks_one()) {
      pick(panel, keys);
    } else {
      mix(panel, keys);
    }
  }
}

void BandTask::score_panel(Index panel, const Keys& range, const std::uint64_t* columns) noexcept {
  float* scores = scores_of(panel);
  const Index width = problem_.score_width;
  const float* query = scratch_.queries + panel * lanes_ * width;
  const auto [first_key, keys] = range;
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
    kernels_.select(scores, columns + first_key % tile_size, static_cast<int>(panel * lanes_), keys);
  }
  keep_scores(problem_.scores, panel, range);
  keep_scores(problem_.weights, panel, range);
}

void BandTask::keep_scores(const OutputRows& rows, Index panel, const Keys& keys) const noexcept {
  if (rows.data == nullptr) return;
  unpack_panel(kernels_, scores_of(panel), row_of(rows, panel * lanes_) + keys.first * rows.step,
               rows.row_step, rows.step, lanes_in(panel), keys.count);
}

std::uint64_t BandTask::unsafe_of(const Keys& keys) const noexcept {
  if (operands_.unsafe == nullptr) return 0;
  const Index in_tile = keys.first % tile_size;
  return operands_.unsafe[keys.first / tile_size] >> in_tile & bit_range(0, keys.count);
}

void BandTask::mix(Index panel, const Keys& range) noexcept {
  float* weights = scores_of(panel);
  float factor[tile_size];
  const auto [first_key, keys] = range;
  const std::uint64_t unsafe = unsafe_of(range);
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
        weights[j * lanes_ + i] *= dropout(panel * lanes_ + i, first_key + j);
      }
    }
  }
  const Index width = problem_.value_width;
  float* output = scratch_.output + panel * lanes_ * width;
  const float* values = operands_.values + first_key * operands_.value_step;
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

void BandTask::divide(Index panel, Index keys, const float* factor) noexcept {
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

}  // namespace qkv
