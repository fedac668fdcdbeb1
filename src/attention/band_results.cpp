#include <cmath>

#include "attention/band_task.hpp"
#include "layout.hpp"

namespace qkv {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

void BandTask::finish() noexcept {
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

void BandTask::write_chosen(Index i, float* output) const noexcept {
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

void BandTask::write_panel(Index panel) noexcept {
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

float BandTask::total_of(Index i) const noexcept {
  if (problem_.normalized_by<normalizer::Sigmoid>()) return 1;
  return exact_sums_ && sum_[i] != 0 ? 1 : sum_[i];  // divide() has been there
}

void BandTask::gather(Index panel, float* rows, Index row_step, const float* divisor) const noexcept {
  const Index width = problem_.value_width;
  if (started(panel)) {
    kernels_.unpack(rows, row_step, scratch_.output + panel * lanes_ * width, divisor,
                    lanes_in(panel), width);
  } else {
    std::fill_n(rows, lanes_in(panel) * row_step, 0.0f);
  }
}

void BandTask::save(const Partial& partial) noexcept {
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

void BandTask::add(const Partial& partial, Index i) noexcept {
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

void BandTask::join(Index i, float& factor, float& row_factor) noexcept {
  if (problem_.normalized_by<normalizer::Softmax>()) {
    const float largest = std::max(row_maximum_[i], maximum_[i]);
    factor = decay(maximum_[i], largest);
    row_factor = decay(row_maximum_[i], largest);
    maximum_[i] = largest;
  }
  sum_[i] = sum_[i] * factor + row_sum_[i] * row_factor;
}

void BandTask::write_weights(Index i) noexcept {
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

void BandTask::to_weights(Index i, Index first, Index count, float* block) noexcept {
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

}  // namespace qkv
