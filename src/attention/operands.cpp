#include "attention/operands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "layout.hpp"
#include "sums.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr Index budget = Index{32} << 20;  // bytes of prepared heads kept at once

// As whole numbers, of which a compiler takes several at a time.
bool all_finite(const float* x, Index step, Index count) noexcept {
  constexpr std::int32_t magnitude = 0x7FFFFFFF, infinite = 0x7F800000;
  std::int32_t largest = 0;
  if (step == 1) {
    for (Index i = 0; i < count; ++i) {
      largest = std::max(largest, std::bit_cast<std::int32_t>(x[i]) & magnitude);
    }
  } else {
    for (Index i = 0; i < count; ++i) {
      largest = std::max(largest, std::bit_cast<std::int32_t>(x[i * step]) & magnitude);
    }
  }
  return largest < infinite;
}

}  // namespace

void normalize(const float* from, Index step, Index width, float* to) noexcept {
  // Brought side by side first, where the loops below take several at a time.
  if (step != 1) {
    for (Index d = 0; d < width; ++d) to[d] = from[d * step];
    from = to;
  }
  const double squares =
      sum_of(width, [&](Index d) { return static_cast<double>(from[d]) * from[d]; });
  const double factor = squares > 0 ? 1 / std::sqrt(squares) : squares;  // 0, or NaN as it came
  for (Index d = 0; d < width; ++d) to[d] = static_cast<float>(from[d] * factor);
}

OperandStore::OperandStore(const Problem& problem, const Kernels& kernels, int workers) noexcept
    : problem_(problem), kernels_(kernels), workers_(workers) {
  const bool additive = problem.scores_by<score::Additive>();
  tiles_ = problem.key_tiles();
  by_rows_ = problem.query_length <= most_few && !problem.sums_exactly();
  packs_ = !by_rows_ && !additive;
  const bool wants_rows = additive || by_rows_ || !problem.plan.everything();
  const bool transformed = additive || problem.scores_by<score::Cosine>();
  copies_keys_ = transformed || (wants_rows && problem.key.step != 1);
  copies_values_ = problem.value.step != 1;
  scans_values_ = problem.may_exclude;

  Index floats = 0;
  if (packs_) floats += problem.key_length * problem.score_width;
  if (copies_keys_) floats += problem.key_length * problem.score_width;
  if (copies_values_) floats += problem.key_length * problem.value_width;
  const Index bytes = floats * static_cast<Index>(sizeof(float)) + tiles_ * 8 + 1;
  capacity_ = std::clamp<Index>(budget / bytes, 1, std::max<Index>(count(), 1));
}

Status OperandStore::reserve() noexcept {
  const Index keys = problem_.key_length * problem_.score_width;
  if (packs_) QKV_TRY(packed_.reserve(capacity_ * keys));
  if (copies_keys_) QKV_TRY(keys_.reserve(capacity_ * keys));
  if (copies_values_) {
    QKV_TRY(values_.reserve(capacity_ * problem_.key_length * problem_.value_width));
  }
  if (scans_values_) QKV_TRY(unsafe_.reserve(capacity_ * tiles_));

  const Score& score = problem_.options->score;
  if (const auto* additive = std::get_if<score::Additive>(&score)) {
    projects_queries_ = true;
    QKV_TRY(vector_.reserve(problem_.score_width));
    for (Index h = 0; h < problem_.score_width; ++h) {
      vector_[h] = additive->vector.data[h * additive->vector.strides[0]];
    }
    QKV_TRY(query_weight_.pack(kernels_, additive->query_weight, workers_));
    QKV_TRY(key_weight_.pack(kernels_, additive->key_weight, workers_));
    QKV_TRY(panels_.reserve(workers_ * kernels_.lanes *
                            (problem_.key_width + problem_.score_width)));
  } else if (const auto* bilinear = std::get_if<score::Bilinear>(&score)) {
    projects_queries_ = true;
    const ConstTensorView& weight = bilinear->weight;  // queries meet it from the other side
    QKV_TRY(query_weight_.pack(kernels_, {weight.data,
                                          {weight.shape[1], weight.shape[0]},
                                          {weight.strides[1], weight.strides[0]}}, workers_));
  }
  return {};
}

void OperandStore::prepare(Index first, Index heads) noexcept {
  first_ = first;
  if (!packs_ && !copies_keys_ && !copies_values_ && !scans_values_) return;
  parallel_for(heads * tiles_, workers_, [&](Index item, int worker) {
    prepare_tile(item / tiles_, first + item / tiles_, item % tiles_, worker);
  });
}

void OperandStore::project_keys(const float* keys, Index count, float* rows, int worker) noexcept {
  const Index lanes = kernels_.lanes, width = problem_.key_width, hidden = problem_.score_width;
  float* panel = panels_.data() + worker * lanes * (width + hidden);
  float* projected = panel + lanes * width;
  for (Index first = 0; first < count; first += lanes) {
    const Index in_panel = std::min(lanes, count - first);
    pack_panel(kernels_, panel, keys + first * problem_.key.row_step, problem_.key.row_step,
               problem_.key.step, in_panel, width);
    key_weight_.apply(kernels_, panel, projected);
    unpack_panel(kernels_, projected, rows + first * hidden, hidden, 1, in_panel, hidden);
  }
}

void OperandStore::prepare_tile(Index slot, Index number, Index tile, int worker) noexcept {
  const Index batch = number / problem_.kv_heads, head = number % problem_.kv_heads;
  const Index first = tile * tile_size;
  const Index count = std::min(tile_size, problem_.key_length - first);
  const Index width = problem_.score_width;

  const float* keys = problem_.key.data + problem_.kv_offset(problem_.key, batch, head) +
                      first * problem_.key.row_step;
  Index row_step = problem_.key.row_step, step = problem_.key.step;
  if (copies_keys_) {
    float* rows = keys_.data() + (slot * problem_.key_length + first) * width;
    if (problem_.scores_by<score::Additive>()) {
      project_keys(keys, count, rows, worker);
    } else if (problem_.scores_by<score::Cosine>()) {
      for (Index j = 0; j < count; ++j) normalize(keys + j * row_step, step, width, rows + j * width);
    } else {
      for (Index j = 0; j < count; ++j) {
        for (Index d = 0; d < width; ++d) rows[j * width + d] = keys[j * row_step + d * step];
      }
    }
    keys = rows;
    row_step = width;
    step = 1;
  }
  if (packs_) {
    pack_groups(kernels_, packed_.data() + (slot * problem_.key_length + first) * width, keys,
                row_step, step, count, width);
  }

  const float* values = problem_.value.data + problem_.kv_offset(problem_.value, batch, head) +
                        first * problem_.value.row_step;
  const Index value_width = problem_.value_width;
  std::uint64_t unsafe = 0;
  for (Index j = 0; j < count && (copies_values_ || scans_values_); ++j) {
    const float* value = values + j * problem_.value.row_step;
    if (scans_values_) {
      unsafe |= std::uint64_t{!all_finite(value, problem_.value.step, value_width)} << j;
    }
    if (copies_values_) {
      float* row = values_.data() + (slot * problem_.key_length + first + j) * value_width;
      for (Index d = 0; d < value_width; ++d) row[d] = value[d * problem_.value.step];
    }
  }
  if (scans_values_) unsafe_[slot * tiles_ + tile] = unsafe;
}

Operands OperandStore::at(Index number) const noexcept {
  const Index batch = number / problem_.kv_heads, head = number % problem_.kv_heads;
  const Index slot = number - first_;
  Operands operands;
  if (packs_) operands.packed = packed_.data() + slot * problem_.key_length * problem_.score_width;
  if (copies_keys_) {
    operands.key_rows = keys_.data() + slot * problem_.key_length * problem_.score_width;
    operands.key_step = problem_.score_width;
  } else {
    operands.key_rows = problem_.key.data + problem_.kv_offset(problem_.key, batch, head);
    operands.key_step = problem_.key.row_step;
  }
  if (copies_values_) {
    operands.values = values_.data() + slot * problem_.key_length * problem_.value_width;
    operands.value_step = problem_.value_width;
  } else {
    operands.values = problem_.value.data + problem_.kv_offset(problem_.value, batch, head);
    operands.value_step = problem_.value.row_step;
  }
  if (scans_values_) operands.unsafe = unsafe_.data() + slot * tiles_;
  return operands;
}

}  // namespace qkv
