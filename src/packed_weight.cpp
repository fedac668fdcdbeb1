#include "packed_weight.hpp"

#include <algorithm>

#include "layout.hpp"
#include "text.hpp"

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

}  // namespace qkv
