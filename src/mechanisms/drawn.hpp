// Weights as the catalogue draws them for its entries.
#pragma once

#include <cstdint>

#include "qkv/tensor.hpp"

namespace qkv::drawn {

// Normal numbers of mean 0. `first`: how many of the seed other weights have taken.
Status normal(double seed, Index first, const Shape& shape, double deviation, Tensor& weight);

// Weight `number` of the seed, [outputs, inputs], uniform with variance 1 / inputs, so that a
// product keeps the size of numbers.
Status uniform(double seed, std::uint64_t number, const Shape& shape, Tensor& weight);

}  // namespace qkv::drawn
