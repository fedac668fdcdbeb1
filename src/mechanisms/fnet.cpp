#include <algorithm>

#include "check.hpp"
#include "division.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/fourier.hpp"
#include "qkv/mixers.hpp"
#include "strided.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr Index width = Hartley::width;
constexpr Index budget = Index{8} << 20;  // floats of transformed entries kept at once

double multiply_adds(Index length, Index features) noexcept {
  return static_cast<double>(length) * Hartley::multiply_adds(features) +
         static_cast<double>(features / 2 + 1) * Hartley::multiply_adds(length);
}

// The real part of a transform over both axes needs real transforms only. With H[t, m] the Hartley
// transform of the features of token t, and indices that wrap around,
//
//   c[t, m] = (H[t, -m] + H[-t, m]) / 2
//   result[:, m] = the Hartley transform of c[:, m] over the tokens
//   result[-k, -m] = result[k, m]
//
// so that half of the columns suffice.
class Mixing {
 public:
  Mixing(const ConstTensorView& x, const TensorView& result) noexcept
      : x_(x),
        result_(result),
        length_(x.shape.back(1)),
        features_(x.shape.back(0)),
        columns_(features_ / 2 + 1),
        axes_(x.shape.rank() - 2) {
    for (int axis = 0; axis < axes_; ++axis) entries_ *= x.shape[axis];
  }

  Status run() noexcept {
    if (entries_ == 0 || length_ == 0 || features_ == 0) return {};
    QKV_TRY(over_features_.prepare(features_));
    QKV_TRY(over_tokens_.prepare(length_));
    const int workers = workers_for(static_cast<double>(entries_) *
                                    multiply_adds(length_, features_));
    room_ = std::max(over_features_.floats(), over_tokens_.floats());
    QKV_TRY(scratch_.reserve(workers * 2 * room_));
    const Index size = length_ * features_;
    const Index at_once = std::clamp<Index>(budget / size, 1, entries_);
    QKV_TRY(middle_.reserve(at_once * size));

    const Index bands = ceil_div(length_, width), blocks = ceil_div(columns_, width);
    for (Index first = 0; first < entries_; first += at_once) {
      const Index count = std::min(at_once, entries_ - first);
      parallel_for(count * bands, workers, [&](Index item, int worker) {
        const Index entry = item / bands;
        mix_features(first + entry, item % bands * width, middle_.data() + entry * size, worker);
      });
      parallel_for(count * blocks, workers, [&](Index item, int worker) {
        const Index entry = item / blocks;
        mix_tokens(first + entry, item % blocks * width, middle_.data() + entry * size, worker);
      });
    }
    return {};
  }

 private:
  float* scratch(int worker) noexcept { return scratch_.data() + worker * 2 * room_; }

  // Tokens from `first` on, side by side.
  void mix_features(Index entry, Index first, float* middle, int worker) noexcept {
    const Index count = std::min(width, length_ - first);
    const Index row_step = x_.strides.back(1), step = x_.strides.back(0);
    const float* rows = x_.data + offset_of(entry, x_.shape, x_.strides, axes_) + first * row_step;
    float* data = scratch(worker);
    if (count < width) std::fill_n(data, features_ * width, 0.0f);
    for (Index i = 0; i < count; ++i) {
      for (Index d = 0; d < features_; ++d) data[d * width + i] = rows[i * row_step + d * step];
    }
    const float* mixed = over_features_.run(data, data + room_);
    for (Index i = 0; i < count; ++i) {
      float* row = middle + (first + i) * features_;
      for (Index d = 0; d < features_; ++d) row[d] = mixed[d * width + i];
    }
  }

  // Columns from `first` on, side by side, and those that mirror them: -m is features - m, but for
  // column 0 and the one in the middle, which are their own mirror images.
  void mix_tokens(Index entry, Index first, const float* middle, int worker) noexcept {
    const Index count = std::min(width, columns_ - first);
    const Index begin = first == 0 ? 1 : 0;
    const Index end = 2 * (first + count - 1) == features_ ? count - 1 : count;
    float* data = scratch(worker);
    if (count < width) std::fill_n(data, length_ * width, 0.0f);
    for (Index t = 0; t < length_; ++t) {
      const float* opposite = middle + (t + 1) * features_ - first;
      const float* there = middle + mirror(t) * features_ + first;
      float* to = data + t * width;
      if (begin == 1) to[0] = 0.5f * (middle[t * features_] + there[0]);
      for (Index j = begin; j < count; ++j) to[j] = 0.5f * (opposite[-j] + there[j]);
    }

    const float* mixed = over_tokens_.run(data, data + room_);
    float* result = result_.data + offset_of(entry, result_.shape, result_.strides, axes_);
    const Index row_step = result_.strides.back(1), step = result_.strides.back(0);
    for (Index k = 0; k < length_; ++k) {
      const float* from = mixed + k * width;
      float* here = result + k * row_step + first * step;
      float* opposite = result + mirror(k) * row_step + (features_ - first) * step;
      for (Index j = 0; j < count; ++j) here[j * step] = from[j];
      for (Index j = begin; j < end; ++j) opposite[-j * step] = from[j];
    }
  }

  Index mirror(Index token) const noexcept { return token == 0 ? 0 : length_ - token; }

  const ConstTensorView& x_;
  const TensorView& result_;
  const Index length_, features_, columns_;
  const int axes_;
  Index entries_ = 1, room_ = 0;
  Hartley over_features_, over_tokens_;
  Buffer<float> scratch_, middle_;
};

MechanismCost cost(Index n, Index d, const double*) {
  const double tokens = static_cast<double>(n), features = static_cast<double>(d);
  // What lies between the two transforms, and two columns of the longer one.
  return {multiply_adds(n, d), 4 * (tokens * features + 2 * width * std::max(tokens, features))};
}

Status run(const ConstTensorView& x, const double*, const ConstTensorView*,
           const TensorView& result) {
  return try_fnet(x, result);
}

}  // namespace

Status try_fnet(const ConstTensorView& x, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("x", x, 2));
    QKV_TRY(check_shape("result", result, x.shape));
    return Mixing(x, result).run();
  });
}

const Mechanism catalogue::fnet = {
    .name = "fnet",
    .title = "FNet",
    .paper = "Lee-Thorp, Ainslie, Eckstein and Ontanon 2021, arXiv:2105.03824",
    .year = 2021,
    .family = Family::mixer,
    .exact = false,
    .causal = false,
    .time = "n d log(n d)",
    .memory = "n d",
    .trap = "There is no mask: rows of padding change the results of all other rows, and so does "
            "their number.",
    .parameters = {},
    .cost = cost,
    .run = run,
};

}  // namespace qkv
