#include "qkv/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend.hpp"
#include "check.hpp"
#include "division.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "mechanisms/heads.hpp"
#include "qkv/linear.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

Status check_left(Index left, Index size) {
  if (left >= 0 && left < size) return {};
  return argument_error("left: expected 0 to ", size - 1, " for ", size, " places, saw ", left);
}

// The shape of x with another last axis.
Shape with_width(const Shape& x, Index width) noexcept {
  Shape shape = x;
  shape[shape.rank() - 1] = width;
  return shape;
}

// --- convolution ---------------------------------------------------------------------------------

// x with zeros before and after each sequence.
Status pad(const ConstTensorView& x, Index left, Index right, Tensor& padded) {
  Shape shape = x.shape;
  shape[shape.rank() - 2] += left + right;
  QKV_TRY(Tensor::create(shape, padded));
  if (x.shape.elements() == 0) return {};
  TensorView inner = padded;
  inner.shape = x.shape;
  inner.data += left * x.shape.back(0);
  copy_elements(x, inner);
  return {};
}

Status convolve(const ConstTensorView& x, const ConstTensorView& weight,
                const ConstTensorView& bias, const TensorView& result, Index left) {
  const Index outputs = weight.shape[0], inputs = weight.shape[1], size = weight.shape[2];
  // Place by place, as the windows of x have it.
  Tensor by_place, padded;
  QKV_TRY(Tensor::create({outputs, size, inputs}, by_place));
  const ConstTensorView turned(weight.data, by_place.shape(),
                               {weight.strides[0], weight.strides[2], weight.strides[1]});
  if (by_place.size() > 0) copy_elements(turned, by_place);
  QKV_TRY(pad(x, left, size - 1 - left, padded));
  // Neighbouring windows overlap: each begins one token after the one before.
  ConstTensorView windows = padded;
  windows.shape = with_width(x.shape, size * inputs);
  return try_linear(windows, {by_place.data(), {outputs, size * inputs}}, bias, result);
}

// --- recurrence ----------------------------------------------------------------------------------

class Recurrence {
 public:
  // `start` has the leading axes of x, or no data.
  Recurrence(const Kernels& kernels, const ConstTensorView& weight, const ConstTensorView& start,
             const TensorView& result) noexcept
      : kernels_(kernels),
        weight_(weight),
        start_(start),
        result_(result),
        axes_(result.shape.rank() - 2),
        length_(result.shape.back(1)),
        width_(result.shape.back(0)) {
    for (int axis = 0; axis < axes_; ++axis) entries_ *= result.shape[axis];
  }

  // `result` holds the products of the input. Sequences go together, as many as the kernel takes,
  // so that the weight is read once for all of them.
  Status run() noexcept {
    QKV_TRY(side_by_side(weight_, memory_, rows_, row_step_));
    const int workers = workers_for(static_cast<double>(entries_ * length_) * width_ * width_);
    QKV_TRY(scratch_.reserve(workers * 2 * most_few * width_));
    parallel_for(ceil_div(entries_, most_few), workers, [&](Index item, int worker) {
      const Index first = item * most_few;
      run_few(first, std::min<Index>(most_few, entries_ - first),
              scratch_.data() + worker * 2 * most_few * width_);
    });
    return {};
  }

 private:
  void run_few(Index first, Index count, float* state) noexcept {
    float* sums = state + most_few * width_;
    for (Index s = 0; s < count; ++s) begin(first + s, state + s * width_);
    for (Index t = 0; t < length_; ++t) {
      kernels_.few_scores(sums, width_, state, width_, count, rows_, row_step_, width_, width_);
      for (Index s = 0; s < count; ++s) step(first + s, t, sums + s * width_, state + s * width_);
    }
  }

  void begin(Index entry, float* state) const noexcept {
    const Index offset = start_ ? offset_of(entry, start_.shape, start_.strides, axes_) : 0;
    for (Index i = 0; i < width_; ++i) {
      state[i] = start_ ? start_.data[offset + i * start_.strides.back(0)] : 0;
    }
  }

  void step(Index entry, Index t, const float* sums, float* state) const noexcept {
    float* row = result_.data + offset_of(entry, result_.shape, result_.strides, axes_) +
                 t * result_.strides.back(1);
    const Index apart = result_.strides.back(0);
    for (Index i = 0; i < width_; ++i) state[i] = row[i * apart] + sums[i];
    kernels_.softcap(state, width_, 1);  // at 1 it is the hyperbolic tangent
    for (Index i = 0; i < width_; ++i) row[i * apart] = state[i];
  }

  const Kernels& kernels_;
  const ConstTensorView& weight_;
  const ConstTensorView& start_;
  const TensorView& result_;
  const int axes_;
  const Index length_, width_;
  Index entries_ = 1;
  const float* rows_ = nullptr;
  Index row_step_ = 0;
  Buffer<float> memory_, scratch_;
};

}  // namespace

Status try_conv1d(const ConstTensorView& x, const ConstTensorView& weight,
                  const ConstTensorView& bias, const TensorView& result,
                  std::optional<Index> left) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_operand("x", x, 2));
    QKV_TRY(check_operand("weight", weight, 3));
    const Index inputs = x.shape.back(0);
    if (weight.shape.rank() != 3 || weight.shape[1] != inputs || weight.shape[2] < 1) {
      return shape_error("weight: expected [outputs, ", inputs, ", 1 or more] for x of shape ",
                         x.shape, ", saw ", weight.shape);
    }
    const Index size = weight.shape[2];
    QKV_TRY(check_left(left.value_or((size - 1) / 2), size));
    if (bias) QKV_TRY(check_shape("bias", bias, {weight.shape[0]}));
    QKV_TRY(check_result(result, with_width(x.shape, weight.shape[0])));
    return convolve(x, weight, bias, result, left.value_or((size - 1) / 2));
  });
}

Status try_rnn(const ConstTensorView& x, const ConstTensorView& input_weight,
               const ConstTensorView& hidden_weight, const ConstTensorView& bias,
               const TensorView& result, const ConstTensorView& start) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    QKV_TRY(check_operand("x", x, 2));
    QKV_TRY(check_operand("inputWeight", input_weight, 2));
    const Index inputs = x.shape.back(0), width = input_weight.shape[0];
    QKV_TRY(check_shape("inputWeight", input_weight, {width, inputs}));
    QKV_TRY(check_shape("hiddenWeight", hidden_weight, {width, width}));
    if (bias) QKV_TRY(check_shape("bias", bias, {width}));
    QKV_TRY(check_result(result, with_width(x.shape, width)));
    ConstTensorView first = start;
    if (start) {
      QKV_TRY(check_operand("start", start, 1));
      first.shape = Shape(x.shape.begin(), static_cast<std::size_t>(x.shape.rank()) - 1);
      first.shape[first.shape.rank() - 1] = width;
      if (!broadcast_strides(start.shape, start.strides, first.shape, first.strides)) {
        return shape_error("start: shape ", start.shape, " does not broadcast to ", first.shape);
      }
    }
    if (result.shape.elements() == 0) return {};
    QKV_TRY(try_linear(x, input_weight, bias, result));
    return Recurrence(*kernels, hidden_weight, first, result).run();
  });
}

Status try_offset_heads(const TensorView& result, Index left) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_operand("result", result, 3));
    const Shape& shape = result.shape;
    if (shape.rank() != 3 || shape[1] != shape[2]) {
      return shape_error("result: expected [heads, length, length], saw ", shape);
    }
    if (shape[0] > 0) QKV_TRY(check_left(left, shape[0]));
    for (Index head = 0; head < shape[0]; ++head) {
      for (Index i = 0; i < shape[1]; ++i) {
        float* row = result.data + head * result.strides[0] + i * result.strides[1];
        for (Index j = 0; j < shape[2]; ++j) {
          row[j * result.strides[2]] =
              j == i + head - left ? 0 : -std::numeric_limits<float>::infinity();
        }
      }
    }
    return {};
  });
}

namespace {

// Keeps a sum of `inputs` products near 1.
double deviation_for(Index inputs) {
  return 1 / std::sqrt(static_cast<double>(std::max<Index>(inputs, 1)));
}

constexpr MechanismParameter conv1d_parameters[] = {{"kernelSize", 3, 1}, {"seed", 0, 0}};

constexpr const char* conv1d_weights[] = {"weight"};

Status draw_conv1d(Index, Index d, const double* parameters, Tensor* weights) {
  const Index size = static_cast<Index>(parameters[0]);
  return drawn::normal(parameters[1], 0, {d, d, size}, deviation_for(d * size), weights[0]);
}

Status run_conv1d(const ConstTensorView& x, const double*, const ConstTensorView* weights,
                  const TensorView& result) {
  return try_conv1d(x, weights[0], {}, result);
}

// Weights are held as drawn, by place, and in the kernels' order.
MechanismCost conv1d_cost(Index n, Index d, const double* parameters) {
  const auto tokens = static_cast<double>(n), width = static_cast<double>(d);
  const double size = parameters[0];
  return {tokens * size * width * width,
          4 * ((tokens + size - 1) * width + 3 * size * width * width)};
}

constexpr MechanismParameter rnn_parameters[] = {{"seed", 0, 0}};

constexpr const char* rnn_weights[] = {"inputWeight", "hiddenWeight"};

Status draw_rnn(Index, Index d, const double* parameters, Tensor* weights) {
  const double deviation = deviation_for(d) / 2;  // small enough that the state forgets
  QKV_TRY(drawn::normal(parameters[0], 0, {d, d}, deviation, weights[0]));
  return drawn::normal(parameters[0], d * d, {d, d}, deviation, weights[1]);
}

Status run_rnn(const ConstTensorView& x, const double*, const ConstTensorView* weights,
               const TensorView& result) {
  return try_rnn(x, weights[0], weights[1], {}, result);
}

MechanismCost rnn_cost(Index n, Index d, const double*) {
  const double square = static_cast<double>(d) * static_cast<double>(d);
  return {2 * static_cast<double>(n) * square, 4 * (3 * square + 8 * static_cast<double>(d))};
}

}  // namespace

const Mechanism catalogue::conv1d = {
    .name = "conv1d",
    .title = "Convolution",
    .paper = "Waibel et al. 1989",
    .year = 1989,
    .family = Family::baseline,
    .exact = false,
    .causal = true,
    .time = "n kernelSize d^2",
    .memory = "n d + kernelSize d^2",
    .trap = "Deep learning does not flip the kernel, and an even one has no middle: how many places "
            "lie before the token has to be said.",
    .parameters = conv1d_parameters,
    .weights = conv1d_weights,
    .cost = conv1d_cost,
    .draw = draw_conv1d,
    .run = run_conv1d,
};

const Mechanism catalogue::rnn = {
    .name = "rnn",
    .title = "Recurrent network",
    .paper = "Elman 1990",
    .year = 1990,
    .family = Family::baseline,
    .exact = false,
    .causal = true,
    .time = "n d^2",
    .memory = "d^2",
    .trap = "Steps wait for one another, so that n short products take longer than one long product "
            "of as many operations; libraries that add two biases add one too many.",
    .parameters = rnn_parameters,
    .weights = rnn_weights,
    .cost = rnn_cost,
    .draw = draw_rnn,
    .run = run_rnn,
};

}  // namespace qkv
