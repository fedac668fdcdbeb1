#include "mechanisms/drawn.hpp"

#include <algorithm>
#include <cmath>

#include "random/fill.hpp"
#include "text.hpp"

namespace qkv::drawn {

Status normal(double seed, Index first, const Shape& shape, double deviation, Tensor& weight) {
  QKV_TRY(Tensor::create(shape, weight));
  for (Index i = 0; i < weight.size(); ++i) {
    weight[i] = random::normal(static_cast<std::uint64_t>(seed), first + i, deviation);
  }
  return {};
}

Status uniform(double seed, std::uint64_t number, const Shape& shape, Tensor& weight) {
  QKV_TRY(Tensor::create(shape, weight));
  const float bound = std::sqrt(3 / static_cast<float>(std::max<Index>(shape.back(0), 1)));
  random::fill_uniform(static_cast<std::uint64_t>(seed), number, bound, weight);
  return {};
}

}  // namespace qkv::drawn
