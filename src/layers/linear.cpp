#include "qkv/linear.hpp"

#include <algorithm>

#include "backend.hpp"
#include "check.hpp"
#include "layout.hpp"
#include "packed_weight.hpp"
#include "strided.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

// x W^T + b, shapes checked. Rows are taken a band at a time and outputs a block at a time: a block of
// the weight stays in the second-level cache while all panels of a band pass it.
class Product {
 public:
  Product(const Kernels& kernels, const ConstTensorView& x, const ConstTensorView& weight,
          const ConstTensorView& bias, const TensorView& result) noexcept
      : kernels_(kernels),
        x_(x),
        weight_(weight),
        bias_(bias),
        result_(result),
        inputs_(weight.shape[1]),
        outputs_(weight.shape[0]),
        length_(x.shape.back(1)) {
    for (int axis = 0; axis < axes(); ++axis) entries_ *= x.shape[axis];
    workers_ = workers_for(static_cast<double>(entries_ * length_) * inputs_ * outputs_);
  }

  Status run() noexcept {
    const bool in_rows = x_.strides.back(0) == 1 && weight_.strides[1] == 1;
    if (length_ <= most_few && in_rows) return run_few();
    QKV_TRY(packed_.pack(kernels_, weight_, workers_));
    const Index panels = ceil_div(panel_block, kernels_.lanes);
    panel_floats_ = inputs_ * kernels_.lanes;
    scratch_floats_ = panels * panel_floats_ + panel_block * kernels_.lanes;
    QKV_TRY(scratch_.reserve(scratch_floats_ * workers_));

    const Index bands = ceil_div(length_, panel_block), blocks = output_blocks();
    // Where there are few bands, their blocks are shared out as well.
    const Index parts = std::clamp<Index>(
        ceil_div(4 * workers_, std::max<Index>(entries_ * bands, 1)), 1, std::max<Index>(blocks, 1));
    parallel_for(entries_ * bands * parts, workers_, [&](Index item, int worker) {
      const Index band = item / parts, part = item % parts;
      run_band(band / bands, band % bands * panel_block, part * blocks / parts,
               (part + 1) * blocks / parts, scratch_.data() + worker * scratch_floats_);
    });
    return {};
  }

 private:
  int axes() const noexcept { return x_.shape.rank() - 2; }
  Index output_blocks() const noexcept { return ceil_div(outputs_, panel_block); }
  const float* rows_of(Index entry) const noexcept {
    return x_.data + offset_of(entry, x_.shape, x_.strides, axes());
  }
  float* results_of(Index entry) const noexcept {
    return result_.data + offset_of(entry, result_.shape, result_.strides, axes());
  }
  float bias(Index output) const noexcept {
    return bias_ ? bias_.data[output * bias_.strides[0]] : 0;
  }

  void run_band(Index entry, Index first, Index block, Index last_block, float* panels) noexcept {
    const Index lanes = kernels_.lanes, row_step = x_.strides.back(1);
    const Index count = std::min(panel_block, length_ - first);
    for (Index i = 0; i < count; i += lanes) {
      pack_panel(kernels_, panels + i / lanes * panel_floats_,
                 rows_of(entry) + (first + i) * row_step, row_step, x_.strides.back(0),
                 std::min(lanes, count - i), inputs_);
    }
    float* sums = panels + scratch_floats_ - panel_block * lanes;
    const Index out_step = result_.strides.back(1), step = result_.strides.back(0);
    for (; block < last_block; ++block) {
      const Index output = block * panel_block;
      const Index outputs = std::min(panel_block, outputs_ - output);
      for (Index i = 0; i < count; i += lanes) {
        packed_.apply_block(kernels_, block, panels + i / lanes * panel_floats_, sums);
        for (Index o = 0; o < outputs && bias_; ++o) {
          const float added = bias(output + o);
          for (Index lane = 0; lane < lanes; ++lane) sums[o * lanes + lane] += added;
        }
        unpack_panel(kernels_, sums,
                     results_of(entry) + (first + i) * out_step + output * step, out_step, step,
                     std::min(lanes, count - i), outputs);
      }
    }
  }

  // So few rows that packing the weight would cost more than using it.
  Status run_few() noexcept {
    const Index blocks = output_blocks();
    parallel_for(entries_ * blocks, workers_, [&](Index item, int) {
      const Index entry = item / blocks, output = item % blocks * panel_block;
      const Index outputs = std::min(panel_block, outputs_ - output);
      float sums[most_few * panel_block];
      kernels_.few_scores(sums, panel_block, rows_of(entry), x_.strides.back(1), length_,
                          weight_.data + output * weight_.strides[0], weight_.strides[0], outputs,
                          inputs_);
      for (Index i = 0; i < length_; ++i) {
        float* to = results_of(entry) + i * result_.strides.back(1);
        for (Index o = 0; o < outputs; ++o) {
          to[(output + o) * result_.strides.back(0)] = sums[i * panel_block + o] + bias(output + o);
        }
      }
    });
    return {};
  }

  const Kernels& kernels_;
  const ConstTensorView &x_, &weight_, &bias_;
  const TensorView& result_;
  const Index inputs_, outputs_, length_;
  Index entries_ = 1;
  int workers_ = 1;
  PackedWeight packed_;
  Index panel_floats_ = 0, scratch_floats_ = 0;
  Buffer<float> scratch_;
};

}  // namespace

Status try_linear(const ConstTensorView& x, const ConstTensorView& weight,
                  const ConstTensorView& bias, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    QKV_TRY(check_view("x", x, 2));
    QKV_TRY(check_view("weight", weight, 2));
    const Index inputs = x.shape.back(0);
    if (weight.shape.rank() != 2 || weight.shape[1] != inputs) {
      return shape_error("weight: expected [outputs, ", inputs, "] for x of shape ", x.shape,
                         ", saw ", weight.shape);
    }
    if (bias) QKV_TRY(check_shape("bias", bias, {weight.shape[0]}));
    Shape expected = x.shape;
    expected[expected.rank() - 1] = weight.shape[0];
    QKV_TRY(check_shape("result", result, expected));
    return Product(*kernels, x, weight, bias, result).run();
  });
}

}  // namespace qkv
