// Weights as the catalogue draws them for its entries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "random/fill.hpp"
#include "text.hpp"

namespace qkv::drawn {

// Normal numbers of mean 0. `first`: how many of the seed other weights have taken.
inline Status normal(double seed, Index first, const Shape& shape, double deviation,
                     Tensor& weight) {
  QKV_TRY(Tensor::create(shape, weight));
  for (Index i = 0; i < weight.size(); ++i) {
    weight[i] = random::normal(static_cast<std::uint64_t>(seed), first + i, deviation);
  }
  return {};
}

// Weight `number` of the seed, [outputs, inputs], uniform with variance 1 / inputs, so that a
// product keeps the size of numbers.
inline Status uniform(double seed, std::uint64_t number, const Shape& shape, Tensor& weight) {
  QKV_TRY(Tensor::create(shape, weight));
  const float bound = std::sqrt(3 / static_cast<float>(std::max<Index>(shape.back(0), 1)));
  random::fill_uniform(static_cast<std::uint64_t>(seed), number, bound, weight);
  return {};
}

}  // namespace qkv::drawn
