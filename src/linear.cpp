#include "linear.hpp"

#include <algorithm>

#include "layout.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {

Status PackedWeight::pack(const Kernels& kernels, const ConstTensorView& weight) noexcept {
  outputs_ = weight.shape[0];
  inputs_ = weight.shape[1];
  QKV_TRY(packed_.reserve(outputs_ * inputs_));
  for (Index first = 0; first < outputs_; first += panel_block) {
    const Index count = std::min(panel_block, outputs_ - first);
    pack_groups(kernels, packed_.data() + first * inputs_, weight.data + first * weight.strides[0],
                weight.strides[0], weight.strides[1], count, inputs_);
  }
  return {};
}

void PackedWeight::apply(const Kernels& kernels, const float* panel, float* result) const noexcept {
  for (Index first = 0; first < outputs_; first += panel_block) {
    const Index count = std::min(panel_block, outputs_ - first);
    kernels.scores(result + first * kernels.lanes, panel, packed_.data() + first * inputs_, count,
                   inputs_);
  }
}

Status linear(const Kernels& kernels, const ConstTensorView& x, const ConstTensorView& weight,
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

}  // namespace qkv
