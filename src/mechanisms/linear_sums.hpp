// What linear attention knows of the keys that it has seen: the sums of phi(k) v^T and of phi(k).
#pragma once

#include <algorithm>
#include <limits>

#include "exact_math.hpp"
#include "layout.hpp"

namespace qkv {

// For sums of exp(log - before), to be sums of exp(log - now). -infinity: there is nothing yet.
inline float rescaling(float before, float now) noexcept {
  if (before == now) return 1;
  return static_cast<float>(exact_exp(static_cast<double>(before) - now));
}

struct SumsLayout {
  Index features = 0;
  Index width = 0;  // of a value
  Index lanes = 0;

  Index panels() const noexcept { return ceil_div(width, lanes); }
  Index panel_floats() const noexcept { return features * lanes; }
  Index numbers() const noexcept { return panels() * panel_floats() + features; }
  Index floats() const noexcept { return numbers() + 1; }  // the last one is the logarithm
};

// The sums, in memory of the caller's: panels [features][lanes of a value], then the sum of the
// features. They are exp(-log) times what they stand for; log is 0 for all maps but Favor.
class Sums {
 public:
  Sums(const SumsLayout& layout, float* memory) noexcept : layout_(layout), memory_(memory) {}

  float* panels() const noexcept { return memory_; }
  float* totals() const noexcept { return memory_ + layout_.numbers() - layout_.features; }
  float& log() const noexcept { return memory_[layout_.numbers()]; }

  void clear(bool favor) const noexcept {
    std::fill_n(memory_, layout_.numbers(), 0.0f);
    log() = favor ? -std::numeric_limits<float>::infinity() : 0.0f;
  }

  // Those of two sets of keys, which may be this one.
  void join(const Sums& a, const Sums& b) const noexcept {
    const float most = std::max(a.log(), b.log());
    const float of_a = rescaling(a.log(), most), of_b = rescaling(b.log(), most);
    const float *left = a.memory_, *right = b.memory_;
    for (Index i = 0; i < layout_.numbers(); ++i) memory_[i] = left[i] * of_a + right[i] * of_b;
    log() = most;
  }

  // Adds up to 64 keys: rows[keys][features] with their logarithms (null but for Favor; the rows
  // are then changed), and their values in panels [64][lanes].
  void add(const Kernels& kernels, float* rows, const float* logs, const float* values,
           Index keys) const noexcept {
    const Index features = layout_.features;
    if (logs != nullptr) rescale(rows, logs, keys);
    float ones[panel_block];
    std::fill_n(ones, layout_.lanes, 1.0f);
    for (Index p = 0; p < layout_.panels(); ++p) {
      kernels.aggregate(panels() + p * layout_.panel_floats(),
                        values + p * panel_block * layout_.lanes, rows, features, keys, features,
                        ones);
    }
    // In the same order, so that values of 1 give just these.
    for (Index j = 0; j < keys; ++j) kernels.add(totals(), rows + j * features, features);
  }

  // Each feature's sum of values over its total; for the softmax over the sequence.
  void divide() const noexcept {
    for (Index r = 0; r < layout_.features; ++r) {
      const float total = totals()[r] == 0 ? 1 : totals()[r];
      for (Index p = 0; p < layout_.panels(); ++p) {
        float* row = part(p, r);
        for (Index lane = 0; lane < layout_.lanes; ++lane) row[lane] /= total;
      }
    }
  }

  // From and to a matrix with a row for each feature: the sum of the values, then the total. Favor
  // has one row more, with the logarithm at its end.
  void read(const ConstTensorView& state, bool favor) const noexcept {
    bool empty = true;
    for (Index r = 0; r < layout_.features; ++r) {
      const float* row = state.data + r * state.strides[0];
      for (Index p = 0; p < layout_.panels(); ++p) {
        const float* from = row + p * layout_.lanes * state.strides[1];
        float* to = part(p, r);
        for (Index d = 0; d < numbers_in(p); ++d) to[d] = from[d * state.strides[1]];
        std::fill_n(to + numbers_in(p), layout_.lanes - numbers_in(p), 0.0f);
      }
      totals()[r] = row[layout_.width * state.strides[1]];
      empty = empty && totals()[r] == 0;
    }
    log() = 0;
    if (!favor) return;
    const Index last = layout_.features * state.strides[0] + layout_.width * state.strides[1];
    log() = empty ? -std::numeric_limits<float>::infinity() : state.data[last];
  }
  void write(const TensorView& state, bool favor) const noexcept {
    for (Index r = 0; r < layout_.features + favor; ++r) {
      float* row = state.data + r * state.strides[0];
      const bool extra = r == layout_.features;
      for (Index p = 0; p < layout_.panels(); ++p) {
        float* to = row + p * layout_.lanes * state.strides[1];
        const float* from = extra ? nullptr : part(p, r);
        for (Index d = 0; d < numbers_in(p); ++d) {
          to[d * state.strides[1]] = extra ? 0 : from[d];
        }
      }
      row[layout_.width * state.strides[1]] = extra ? log() : totals()[r];
    }
  }

 private:
  // Of a feature, the values of a panel; and how many of its lanes hold one.
  float* part(Index panel, Index feature) const noexcept {
    return panels() + panel * layout_.panel_floats() + feature * layout_.lanes;
  }
  Index numbers_in(Index panel) const noexcept {
    return std::min(layout_.lanes, layout_.width - panel * layout_.lanes);
  }

  // Brings the sums and the rows to one logarithm.
  void rescale(float* rows, const float* logs, Index keys) const noexcept {
    float most = log();
    for (Index j = 0; j < keys; ++j) most = logs[j] > most ? logs[j] : most;
    if (most != log()) {
      const float factor = rescaling(log(), most);
      for (Index i = 0; i < layout_.numbers(); ++i) memory_[i] *= factor;
      log() = most;
    }
    for (Index j = 0; j < keys; ++j) {
      const float factor = rescaling(logs[j], most);
      float* row = rows + j * layout_.features;
      for (Index r = 0; r < layout_.features; ++r) row[r] *= factor;
    }
  }

  const SumsLayout& layout_;
  float* memory_;
};

}  // namespace qkv
