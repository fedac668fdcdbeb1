// The work of linear attention on one head: keys into sums, 64 at a time, and queries against sums,
// a panel at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "mechanisms/features.hpp"
#include "mechanisms/linear_call.hpp"
#include "mechanisms/linear_sums.hpp"
#include "strided.hpp"

namespace qkv {

// Working memory of one thread.
struct LinearScratch {
  float *past, *recent, *together;  // sums
  float* shift;                     // [features]
  float* rows;                      // [64][features]
  float* packed;                    // the same as packed keys
  float* values;                    // panels [64][lanes]
  float* query;                     // [features][lanes]
  float *output, *exact, *spare;    // [width][lanes]
  float *scores, *decays;           // [64][lanes]
  float* result;                    // [lanes][width]
  float* features;

  // Null memory: only the size. Returns it.
  Index lay(float* memory, const SumsLayout& sums, const Features& map) noexcept {
    Index used = 0;
    const auto take = [&](float*& part, Index floats) {
      part = memory == nullptr ? nullptr : memory + used;
      used += ceil_div(floats, 16) * 16;
    };
    const Index padded = sums.panels() * sums.lanes;
    for (float** part : {&past, &recent, &together}) take(*part, sums.floats());
    take(shift, sums.features);
    for (float** part : {&rows, &packed}) take(*part, panel_block * sums.features);
    take(values, panel_block * padded);
    take(query, sums.features * sums.lanes);
    for (float** part : {&output, &exact, &spare, &result}) take(*part, padded * sums.lanes);
    for (float** part : {&scores, &decays}) take(*part, panel_block * sums.lanes);
    take(features, map.scratch_floats());
    return used;
  }
};

// Keys of a block of up to 64 tokens; the rest of them is in the scratch memory.
struct LinearBlock {
  Index keys;   // valid ones
  bool finite;  // their values are
  float logs[panel_block];
};

class LinearBlocks {
 public:
  LinearBlocks(const Kernels& kernels, const LinearCall& call, const Features& features) noexcept
      : kernels_(kernels),
        call_(call),
        features_(features),
        causal_(call.options.causal),
        layout_{features.count(), call.value.shape.back(0), kernels.lanes} {
    std::fill_n(ones_, panel_block, 1.0f);
  }

  const SumsLayout& layout() const noexcept { return layout_; }

  // The largest of each feature over a range of keys.
  void find_tops(Index head, Index first, Index last, float* tops) const noexcept {
    const ConstTensorView key = call_.sums_heads.at(call_.key, 2, head);
    last = std::min(last, call_.valid_keys(head));
    std::fill_n(tops, layout_.features, -infinity);
    for (Index j = first; j < last; ++j) {
      const float* row = key.data + j * key.strides[0];
      for (Index d = 0; d < layout_.features; ++d) {
        const float x = row[d * key.strides[1]];
        tops[d] = x > tops[d] ? x : tops[d];
      }
    }
  }
  // -infinity must not be taken from itself.
  void settle_tops(float* tops) const noexcept {
    for (Index d = 0; d < layout_.features; ++d) tops[d] = tops[d] == -infinity ? 0 : tops[d];
  }

  // Adds the keys [first, last) of a head.
  void sum(Index head, Index first, Index last, const Sums& to, const float* shift,
           LinearScratch& s) const noexcept {
    last = std::min(last, call_.valid_keys(head));
    for (; first < last; first += panel_block) {
      LinearBlock block;
      load(head, first, std::min(panel_block, last - first), shift, s, block);
      add(block, s, to);
    }
  }

  // The same, and answers the causal queries of those tokens, of all the query heads `members`:
  // each sees the sums `past`, those added to `recent` so far, and its own block up to itself.
  void run_causal(Index head, std::span<const Index> members, Index first, Index last,
                  const Sums& past, const Sums& recent, LinearScratch& s) const noexcept {
    const Sums together(layout_, s.together);
    for (; first < last; first += panel_block) {
      const Index tokens = std::min(panel_block, last - first);
      LinearBlock block;
      load(head, first, tokens, nullptr, s, block);
      kernels_.group(s.packed, s.rows, layout_.features, block.keys, layout_.features);
      together.join(past, recent);
      for (const Index member : members) {
        for (Index at = 0; at < tokens; at += layout_.lanes) {
          answer_panel(member, first + at, std::min(layout_.lanes, tokens - at), together, &block,
                       at, s);
        }
      }
      add(block, s, recent);
    }
  }

  // The queries [first, last) of a query head, which see all of the sums.
  void answer(Index head, Index first, Index last, const Sums& sums,
              LinearScratch& s) const noexcept {
    for (; first < last; first += layout_.lanes) {
      answer_panel(head, first, std::min(layout_.lanes, last - first), sums, nullptr, 0, s);
    }
  }

 private:
  static TokenRows rows_of(const ConstTensorView& view) noexcept {
    return {view.data, view.strides[0], view.strides[1]};
  }

  // Features and values of up to 64 tokens.
  void load(Index head, Index first, Index tokens, const float* shift, LinearScratch& s,
            LinearBlock& block) const noexcept {
    block.keys = std::clamp<Index>(call_.valid_keys(head) - first, 0, tokens);
    const ConstTensorView key = call_.sums_heads.at(call_.key, 2, head);
    const ConstTensorView value = call_.sums_heads.at(call_.value, 2, head);
    features_.keys(rows_of(key).from(first), block.keys, shift, s.rows, block.logs, s.features);
    const Index lanes = layout_.lanes, step = value.strides[1];
    int strange = 0;
    for (Index p = 0; p < layout_.panels(); ++p) {
      const Index some = std::min(lanes, layout_.width - p * lanes);
      for (Index j = 0; j < block.keys; ++j) {
        const float* from = value.data + (first + j) * value.strides[0] + p * lanes * step;
        float* to = s.values + (p * panel_block + j) * lanes;
        if (step == 1) {
          std::copy_n(from, some, to);
        } else {
          for (Index d = 0; d < some; ++d) to[d] = from[d * step];
        }
        std::fill_n(to + some, lanes - some, 0.0f);
        for (Index d = 0; d < lanes && causal_; ++d) strange |= to[d] - to[d] == 0 ? 0 : 1;
      }
    }
    block.finite = strange == 0;
  }

  void add(LinearBlock& block, LinearScratch& s, const Sums& to) const noexcept {
    to.add(kernels_, s.rows, features_.is_favor() ? block.logs : nullptr, s.values, block.keys);
  }

  // Up to `lanes` queries, from `first` on; when causal they are those from `at` on of a block.
  void answer_panel(Index head, Index first, Index count, const Sums& sums,
                    const LinearBlock* block, Index at, LinearScratch& s) const noexcept {
    float divisor[panel_block];
    const ConstTensorView query = call_.heads.at(call_.query, 2, head);
    features_.queries(rows_of(query).from(first), count, s.query, divisor, s.features);
    weigh(s.output, s.query, sums.panels(), layout_.panel_floats(), layout_.features, nullptr);
    if (has_totals()) {
      kernels_.aggregate(divisor, s.query, sums.totals(), 1, layout_.features, 1, nullptr);
    }
    if (block != nullptr) add_block(*block, at, count, sums.log(), divisor, s);
    settle(divisor);
    const TensorView result = call_.heads.at(call_.result, 2, head);
    float* rows = result.data + first * result.strides[0];
    const float* by = features_.is_identity() ? nullptr : divisor;
    if (result.strides[1] == 1) {
      kernels_.unpack(rows, result.strides[0], s.output, by, count, layout_.width);
      return;
    }
    kernels_.unpack(s.result, layout_.width, s.output, by, count, layout_.width);
    copy_elements({s.result, {count, layout_.width}},
                  {rows, {count, layout_.width}, result.strides});
  }

  bool has_totals() const noexcept { return !features_.is_identity() && !features_.is_softmax(); }

  // output[width][lanes] = output * factor + values^T weights, values in panels.
  void weigh(float* output, const float* weights, const float* values, Index panel_step, Index keys,
             const float* factor) const noexcept {
    const Index lanes = layout_.lanes;
    for (Index p = 0; p < layout_.panels(); ++p) {
      kernels_.aggregate(output + p * lanes * lanes, weights, values + p * panel_step, lanes, keys,
                         std::min(lanes, layout_.width - p * lanes), factor);
    }
  }

  // Adds the keys of the queries' own block, each query's only up to itself.
  void add_block(const LinearBlock& block, Index at, Index count, float log, float* divisor,
                 LinearScratch& s) const noexcept {
    const Index lanes = layout_.lanes, seen = std::min(block.keys, at + count);
    const Index scored = std::min(block.keys, ceil_div(seen, kernels_.rows) * kernels_.rows);
    kernels_.scores(s.scores, s.query, s.packed, scored, layout_.features);
    float factor[panel_block];
    std::fill_n(factor, lanes, 1.0f);
    if (features_.is_favor()) decay(block, at, seen, log, factor, s);
    // Set, not multiplied: what a later key holds must not matter.
    for (Index j = at + 1; j < seen; ++j) std::fill_n(s.scores + j * lanes, j - at, 0.0f);
    if (has_totals()) kernels_.aggregate(divisor, s.scores, ones_, 1, seen, 1, factor);
    const Index step = panel_block * lanes;
    if (block.finite) return weigh(s.output, s.scores, s.values, step, seen, factor);
    // A weight of 0 does not keep NaN and infinity out: each query by itself, without later keys.
    for (Index i = 0; i < count; ++i) {
      std::copy_n(s.output, layout_.width * lanes, s.spare);
      weigh(s.spare, s.scores, s.values, step, std::min(seen, at + i + 1), factor);
      for (Index d = 0; d < layout_.width; ++d) s.exact[d * lanes + i] = s.spare[d * lanes + i];
    }
    std::copy_n(s.exact, layout_.width * lanes, s.output);
  }

  // Favor: every query's sums and scores to the largest logarithm that it has seen, so that no
  // later key changes a bit. `log` is that of the sums, whose factor goes to `factor`.
  void decay(const LinearBlock& block, Index at, Index seen, float log, float* factor,
             LinearScratch& s) const noexcept {
    const Index lanes = layout_.lanes;
    float most = log;
    for (Index j = 0; j < std::min(at, seen); ++j) most = std::max(most, block.logs[j]);
    for (Index i = 0; i < lanes; ++i) {
      if (at + i < seen) most = std::max(most, block.logs[at + i]);
      factor[i] = rescaling(log, most);
      const float origin = most == -infinity ? 0 : most;
      for (Index j = 0; j < seen; ++j) {
        s.decays[j * lanes + i] = j <= at + i ? block.logs[j] - origin : -infinity;
      }
    }
    kernels_.row_weights(s.decays, seen * lanes, 0, 1);
    for (Index i = 0; i < seen * lanes; ++i) s.scores[i] *= s.decays[i];
  }

  // Denominators that cannot be divided by: 0 gives zeros, one of Fourier's counts as far from 0.
  void settle(float* divisor) const noexcept {
    if (features_.is_identity()) return;
    constexpr float least = 1e-3f;
    for (Index i = 0; i < layout_.lanes; ++i) {
      float& by = divisor[i];
      if (features_.is_fourier()) {
        if (std::fabs(by) < least) by = by < 0 ? -least : least;
      } else if (by == 0) {
        by = infinity;
      }
    }
  }

  static constexpr float infinity = std::numeric_limits<float>::infinity();

  const Kernels& kernels_;
  const LinearCall& call_;
  const Features& features_;
  const bool causal_;
  const SumsLayout layout_;
  float ones_[panel_block];
};

}  // namespace qkv
