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

// Shapes have been checked.
Status multiply(const Kernels& kernels, const ConstTensorView& x, const ConstTensorView& weight,
                const ConstTensorView& bias, const TensorView& result) noexcept {
  PackedWeight packed;
  QKV_TRY(packed.pack(kernels, weight));
  const Index inputs = packed.inputs(), outputs = packed.outputs(), lanes = kernels.lanes;
  const Index length = x.shape.back(1);
  const int axes = x.shape.rank() - 2;
  Index entries = 1;
  for (int axis = 0; axis < axes; ++axis) entries *= x.shape[axis];
  const Index panels = (length + lanes - 1) / lanes;

  const int workers = worker_limit();
  const Index scratch = (inputs + outputs) * lanes;
  Buffer<float> memory;
  QKV_TRY(memory.reserve(scratch * workers));
  parallel_for(entries * panels, workers, [&](Index item, int worker) {
    const Index entry = item / panels, first = item % panels * lanes;
    const Index count = std::min(lanes, length - first);
    float* in = memory.data() + worker * scratch;
    float* out = in + inputs * lanes;
    const Index row_step = x.strides.back(1);
    pack_panel(kernels, in,
               x.data + offset_of(entry, x.shape, x.strides, axes) + first * row_step, row_step,
               x.strides.back(0), count, inputs);
    packed.apply(kernels, in, out);
    if (bias) {
      for (Index o = 0; o < outputs; ++o) {
        for (Index i = 0; i < lanes; ++i) out[o * lanes + i] += bias.data[o * bias.strides[0]];
      }
    }
    const Index out_step = result.strides.back(1);
    unpack_panel(kernels, out,
                 result.data + offset_of(entry, result.shape, result.strides, axes) +
                     first * out_step,
                 out_step, result.strides.back(0), count, outputs);
  });
  return {};
}

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
    return multiply(*kernels, x, weight, bias, result);
  });
}

}  // namespace qkv
