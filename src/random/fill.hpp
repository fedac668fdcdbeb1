// Tables of random numbers.
#pragma once

#include <cmath>

#include "exact_math.hpp"
#include "qkv/tensor.hpp"
#include "random/philox.hpp"

namespace qkv::random {

// Uniform on (-bound, bound): the table is row `row` of the stream.
inline void fill_uniform(std::uint64_t seed, std::uint64_t row, float bound, Tensor& table) noexcept {
  Counter drawn{};
  for (Index n = 0; n < table.size(); ++n) {
    const auto place = static_cast<std::size_t>(n % 4);
    if (place == 0) drawn = draw(seed, Stream::uniform, row, static_cast<std::uint64_t>(n) / 4);
    table[n] = (2 * uniform(drawn[place]) - 1) * bound;
  }
}

// Normal with mean 0, by the transform of Box and Muller 1958: each pair of uniforms gives one.
inline float normal(std::uint64_t seed, Index n, double deviation) noexcept {
  const Counter drawn = draw(seed, Stream::normal, 0, static_cast<std::uint64_t>(n));
  const double radius = std::sqrt(-2 * exact_log((drawn[0] + 0.5) / 4294967296.0));
  return static_cast<float>(deviation * radius *
                            cos_of_turns((drawn[1] + 0.5) / 4294967296.0));
}

}  // namespace qkv::random
