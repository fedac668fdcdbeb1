// Attention pooling, Gaussian windows, and item-wise hard attention.
#include "qkv/picking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend.hpp"
#include "division.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/heads.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr Index rows_at_once = 8;  // of a result, by one thread

// exp(-104) is 0 in float32: (j - c)^2 / (2 width^2) beyond that of the nearest row counts nothing.
constexpr double underflow = 104;

Status check_windows(const ConstTensorView& x, const ConstTensorView& centers,
                     const ConstTensorView& widths, Heads& heads) {
  QKV_TRY(heads.add("x", x, 2));
  QKV_TRY(heads.add("centers", centers, 1));
  QKV_TRY(heads.add("widths", widths, 1));
  if (centers.shape.back(0) != widths.shape.back(0)) {
    return shape_error("centers and widths differ in number: ", centers.shape.back(0), " in ",
                       centers.shape, " and ", widths.shape.back(0), " in ", widths.shape);
  }
  if (heads.leading().rank() + 2 > Shape::max_rank) {
    return shape_error("centers: shape ", centers.shape, " leaves no axis for x of shape ",
                       x.shape);
  }
  return {};
}

// Refuses widths that are not above 0. NaN is left to give NaN.
Status largest_width(const ConstTensorView& widths, double& largest) {
  Status status;
  for_each_row(widths.shape, widths.strides, [&](Index, Index offset) {
    for (Index i = 0; i < widths.shape.back(0); ++i) {
      const double width = widths.data[offset + i * widths.strides.back(0)];
      if (width <= 0 && status.ok()) {
        status = argument_error("widths: expected numbers above 0, saw ", width);
      }
      largest = std::max(largest, width);
    }
  });
  return status;
}

class Windows {
 public:
  Windows(const Kernels& kernels, const Heads& heads, const ConstTensorView& x,
          const ConstTensorView& centers, const ConstTensorView& widths, const TensorView& result,
          double largest) noexcept
      : kernels_(kernels),
        heads_(heads),
        x_(x),
        centers_(centers),
        widths_(widths),
        result_(result),
        length_(x.shape.back(1)),
        width_(x.shape.back(0)),
        count_(centers.shape.back(0)),
        workers_(workers_for(static_cast<double>(heads.count() * count_ * width_) *
                             std::min(static_cast<double>(length_), 29 * largest + 2))) {}

  Status run() noexcept {
    if (result_.shape.elements() == 0) return {};
    if (width_ > 1 && x_.strides.back(0) != 1) {
      QKV_TRY(Tensor::copy(x_, copy_));
      x_ = copy_;
    }
    QKV_TRY(scratch_.reserve(workers_ * (length_ + width_)));
    const Index parts = ceil_div(count_, rows_at_once);
    parallel_for(heads_.count() * parts, workers_, [&](Index item, int worker) {
      const Index head = item / parts, first = item % parts * rows_at_once;
      const Index last = std::min(first + rows_at_once, count_);
      for (Index i = first; i < last; ++i) {
        row(head, i, scratch_.data() + worker * (length_ + width_));
      }
    });
    return {};
  }

 private:
  void row(Index head, Index i, float* weights) noexcept {
    const TensorView result = heads_.at(result_, 2, head);
    const double center = at(centers_, head, i), width = at(widths_, head, i);
    float* sums = weights + length_;
    float divisor = 1;
    std::fill_n(sums, width_, 0.0f);
    if (length_ > 0 && std::isfinite(center) && !std::isnan(width)) {
      const ConstTensorView x = heads_.at(x_, 2, head);
      Index first = 0, last = 0;
      divisor = weigh(center, width, weights, first, last);
      const float keep = 1;
      kernels_.few_aggregate(sums, width_, weights, length_, 1, x.data + first * x.strides[0],
                             x.strides[0], last - first, width_, &keep);
    } else if (length_ > 0) {
      divisor = std::numeric_limits<float>::quiet_NaN();
    }
    for (Index d = 0; d < width_; ++d) {
      result.data[i * result.strides[0] + d * result.strides[1]] = sums[d] / divisor;
    }
  }

  double at(const ConstTensorView& view, Index head, Index i) const noexcept {
    const ConstTensorView own = heads_.at(view, 1, head);
    return own.data[i * own.strides[0]];
  }

  // Weights of rows [first, last), relative to that of the row nearest to the centre, and their
  // sum.
  // With j rows from the nearest, u from the centre to it: the exponent is -j (j + 2u) /
  // (2 width^2), which no distance of the centre cancels.
  float weigh(double center, double width, float* weights, Index& first, Index& last) noexcept {
    const double variance = std::min(width * width, 1e60);
    const double nearest =
        std::clamp(std::floor(center + 0.5), 0.0, static_cast<double>(length_ - 1));
    const double u = nearest - center;
    const double span = 2 * underflow * variance, root = std::sqrt(u * u + span);
    const double up = u > 0 ? span / (u + root) : root - u;
    const double down = u < 0 ? span / (root - u) : root + u;
    const auto middle = static_cast<Index>(nearest);
    first = middle - static_cast<Index>(std::min(std::ceil(down), nearest));
    last = middle + 1 +
           static_cast<Index>(std::min(std::ceil(up), static_cast<double>(length_ - 1) - nearest));
    for (Index j = first; j < last; ++j) {
      const auto away = static_cast<double>(j - middle);
      const double exponent = -away * (away + 2 * u) / (2 * variance);
      weights[j - first] = static_cast<float>(std::max(exponent, -2 * underflow));
    }
    float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
    kernels_.row_softmax(weights, last - first, &maximum, &sum);
    // What weighs nothing is not read: it may be NaN.
    Index skipped = 0;
    while (weights[last - first - 1] == 0) --last;
    while (weights[skipped] == 0) ++skipped;
    std::copy(weights + skipped, weights + (last - first), weights);
    first += skipped;
    return sum;
  }

  const Kernels& kernels_;
  const Heads& heads_;
  ConstTensorView x_;
  const ConstTensorView &centers_, &widths_;
  const TensorView& result_;
  const Index length_, width_, count_;
  const int workers_;
  Tensor copy_;
  Buffer<float> scratch_;
};

}  // namespace

Status try_attention_pooling(const ConstTensorView& query, const ConstTensorView& x,
                             const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_operand("query", query, 2));
    QKV_TRY(check_operand("x", x, 2));
    if (query.shape.back(0) != x.shape.back(0)) {
      return shape_error("query and x differ in width: ", query.shape.back(0), " in ", query.shape,
                         " and ", x.shape.back(0), " in ", x.shape);
    }
    return try_attention(query, x, x, result);
  });
}

Status gaussian_window_shape(const ConstTensorView& x, const ConstTensorView& centers,
                             const ConstTensorView& widths, Shape& shape) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_windows(x, centers, widths, heads));
    shape = heads.with(centers.shape.back(0), x.shape.back(0));
    return {};
  });
}

Status try_gaussian_window(const ConstTensorView& x, const ConstTensorView& centers,
                           const ConstTensorView& widths, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    Heads heads;
    QKV_TRY(check_windows(x, centers, widths, heads));
    QKV_TRY(check_result(result, heads.with(centers.shape.back(0), x.shape.back(0))));
    double largest = 0;
    QKV_TRY(largest_width(widths, largest));
    return Windows(*kernels, heads, x, centers, widths, result, largest).run();
  });
}

namespace {

Status run_hard(const ConstTensorView& x, const double*, const ConstTensorView*,
                const TensorView& result) {
  AttentionOptions options;
  options.normalizer = normalizer::Hard{};
  return try_attention(x, x, x, result, options);
}

// All scores, and one value for each query.
MechanismCost hard_cost(Index n, Index d, const double*) {
  const auto tokens = static_cast<double>(n), width = static_cast<double>(d);
  return {tokens * tokens * width + tokens * width,
          4 * (tokens * width + 64 * 6 * width + 64 * 64)};
}

constexpr MechanismParameter window_parameters[] = {{"width", 4, 1}};

// A window for each token, centred on it.
Status run_windows(const ConstTensorView& x, const double* parameters, const ConstTensorView*,
                   const TensorView& result) {
  const Index n = x.shape.back(1);
  Tensor centers, widths;
  QKV_TRY(Tensor::create({n}, centers));
  QKV_TRY(Tensor::create({n}, widths));
  for (Index i = 0; i < n; ++i) {
    centers[i] = static_cast<float>(i);
    widths[i] = static_cast<float>(parameters[0]);
  }
  return try_gaussian_window(x, centers, widths, result);
}

MechanismCost windows_cost(Index n, Index d, const double* parameters) {
  const auto tokens = static_cast<double>(n), width = static_cast<double>(d);
  const double seen = std::min(tokens, 2 * std::sqrt(2 * underflow) * parameters[0] + 1);
  return {tokens * seen * (width + 1), 4 * (3 * tokens + width)};
}

}  // namespace

const Mechanism catalogue::hard = {
    .name = "hard",
    .title = "Hard attention",
    .paper = "Xu et al. 2015, arXiv:1502.03044",
    .year = 2015,
    .family = Family::picking,
    .exact = false,
    .causal = true,
    .time = "n^2 d",
    .memory = "n d",
    .trap = "The argmax passes no gradient to the scores, so training needs sampling and a reward; "
            "and of equal scores somebody has to say which one wins, here the first.",
    .parameters = {},
    .cost = hard_cost,
    .run = run_hard,
};

const Mechanism catalogue::location_soft = {
    .name = "location-soft",
    .title = "Gaussian windows",
    .paper = "Gregor et al. 2015, arXiv:1502.04623",
    .year = 2015,
    .family = Family::picking,
    .exact = false,
    .causal = false,
    .time = "n width d",
    .memory = "n",
    .trap = "Weights of a window that reaches beyond the sequence no longer sum to 1 unless they "
            "are divided by what is left, and far outside all of them underflow unless the nearest "
            "is taken out first.",
    .parameters = window_parameters,
    .cost = windows_cost,
    .run = run_windows,
};

}  // namespace qkv
