// Matrix products with a weight that is packed once: y = x W^T + bias.
#pragma once

#include "kernels/table.hpp"
#include "memory.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

class PackedWeight {
 public:
  // weight [outputs, inputs], any strides; read only here. Errors: memory.
  Status pack(const Kernels& kernels, const ConstTensorView& weight) noexcept;

  Index outputs() const noexcept { return outputs_; }
  Index inputs() const noexcept { return inputs_; }

  // A panel of inputs [inputs][lanes] to a panel of outputs [outputs][lanes].
  void apply(const Kernels& kernels, const float* panel, float* result) const noexcept;

 private:
  Index outputs_ = 0;
  Index inputs_ = 0;
  Buffer<float> packed_;
};

// result [..., L, outputs] = x [..., L, inputs] weight^T + bias, over all threads. `bias` [outputs]
// may be absent. Shapes are the caller's to check. Errors: memory.
Status linear(const Kernels& kernels, const ConstTensorView& x, const ConstTensorView& weight,
              const ConstTensorView& bias, const TensorView& result) noexcept;

}  // namespace qkv
