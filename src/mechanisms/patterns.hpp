// Mechanisms that are a mask over exact attention.
#pragma once

#include "mechanisms/catalogue.hpp"
#include "qkv/attention.hpp"

namespace qkv {

// The mask of one head of n tokens.
using MakeMask = Status (*)(Index n, const double* parameters, Mask& mask);

Status attend_by_mask(MakeMask make, const ConstTensorView& x, const double* parameters,
                      const TensorView& result);
Status show_by_mask(MakeMask make, Index n, const double* parameters, const TensorView& matrix);

// The same as functions of an entry.
template <MakeMask make>
Status run_masked(const ConstTensorView& x, const double* parameters, const ConstTensorView*,
                  const TensorView& result) {
  return attend_by_mask(make, x, parameters, result);
}
template <MakeMask make>
Status show_mask(Index n, const double* parameters, const TensorView& matrix) {
  return show_by_mask(make, n, parameters, matrix);
}

// A pair is a product of d numbers for its score and one for its value. Memory is the keys in the
// kernels' order and the scratch of a band.
MechanismCost pair_cost(double pairs, Index n, Index d) noexcept;

inline Index whole(double parameter) noexcept { return static_cast<Index>(parameter); }

}  // namespace qkv
