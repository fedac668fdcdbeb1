// Kernels that change numbers one by one.
#pragma once

#include "kernels/registers.hpp"

namespace qkv::kernels {

template <class Arch>
struct Elements : Registers<Arch> {
  using typename Registers<Arch>::Batch;
  using Registers<Arch>::load;
  using Registers<Arch>::map;
  using Registers<Arch>::width;

  static void softcap(float* x, Index n, float cap) {
    map(x, n, [&](const Batch& s) { return Batch(cap) * kernels::tanh(divide(s, Batch(cap))); });
  }

  static void add(float* x, const float* y, Index n) {
    Index i = 0;
    for (; i + width <= n; i += width) (load(x + i) + load(y + i)).store_unaligned(x + i);
    for (; i < n; ++i) x[i] += y[i];
  }

  static void sigmoid(float* x, Index n) {
    map(x, n, [](const Batch& s) { return divide(Batch(1.0f), Batch(1.0f) + kernels::exp(-s)); });
  }

  static void row_weights(float* x, Index n, float maximum, float sum) {
    map(x, n, [&](const Batch& s) {
      const Batch weight = divide(kernels::exp(s - Batch(maximum)), Batch(sum));
      return xsimd::select(s == Batch(-infinity), Batch(0.0f), weight);
    });
  }
};

}  // namespace qkv::kernels
