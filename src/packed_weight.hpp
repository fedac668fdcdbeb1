// A weight matrix in the order in which the kernels read it.
#pragma once

#include "kernels/table.hpp"
#include "memory.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

class PackedWeight {
 public:
  // weight [outputs, inputs], any strides; read only here. Errors: memory.
  Status pack(const Kernels& kernels, const ConstTensorView& weight, int workers) noexcept;

  Index outputs() const noexcept { return outputs_; }
  Index inputs() const noexcept { return inputs_; }

  // A panel of inputs [inputs][lanes] to a panel of outputs [outputs][lanes].
  void apply(const Kernels& kernels, const float* panel, float* result) const noexcept;

  // The same for outputs [64 block, 64 block + 64) alone.
  void apply_block(const Kernels& kernels, Index block, const float* panel,
                   float* result) const noexcept;

 private:
  Index outputs_ = 0;
  Index inputs_ = 0;
  Buffer<float> packed_;
};

}  // namespace qkv
