#include "packed_weight.hpp"

#include <algorithm>

#include "layout.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {

Status PackedWeight::pack(const Kernels& kernels, const ConstTensorView& weight,
                          int workers) noexcept {
  outputs_ = weight.shape[0];
  inputs_ = weight.shape[1];
  QKV_TRY(packed_.reserve(outputs_ * inputs_));
  parallel_for(ceil_div(outputs_, panel_block), workers, [&](Index block, int) {
    const Index first = block * panel_block, count = std::min(panel_block, outputs_ - first);
    pack_groups(kernels, packed_.data() + first * inputs_, weight.data + first * weight.strides[0],
                weight.strides[0], weight.strides[1], count, inputs_);
  });
  return {};
}

void PackedWeight::apply(const Kernels& kernels, const float* panel, float* result) const noexcept {
  for (Index block = 0; block * panel_block < outputs_; ++block) {
    apply_block(kernels, block, panel, result + block * panel_block * kernels.lanes);
  }
}

void PackedWeight::apply_block(const Kernels& kernels, Index block, const float* panel,
                               float* result) const noexcept {
  const Index first = block * panel_block;
  kernels.scores(result, panel, packed_.data() + first * inputs_,
                 std::min(panel_block, outputs_ - first), inputs_);
}

}  // namespace qkv
