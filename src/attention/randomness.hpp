// Random numbers of attention, each a function of (seed, query, key) alone: any thread and any tile
// draws the same.
#pragma once

#include <cstdint>

#include "exact_math.hpp"
#include "qkv/attention.hpp"
#include "random/philox.hpp"

namespace qkv {

// What dropout multiplies a weight by: 0 with probability p, else keep_scale.
inline float dropout_factor(const Dropout& dropout, float keep_scale, std::uint64_t row,
                            Index key) noexcept {
  const random::Counter drawn = random::draw(dropout.seed, random::Stream::dropout, row,
                                             static_cast<std::uint64_t>(key) / 4);
  return random::uniform(drawn[static_cast<std::size_t>(key % 4)]) < dropout.p ? 0 : keep_scale;
}

// Noise that makes the largest of score + noise a draw from the softmax of the scores (Gumbel 1954).
inline double sampling_noise(std::uint64_t seed, std::uint64_t row, Index key) noexcept {
  const random::Counter drawn = random::draw(seed, random::Stream::sample, row,
                                             static_cast<std::uint64_t>(key) / 4);
  const double uniform =
      (static_cast<double>(drawn[static_cast<std::size_t>(key % 4)]) + 0.5) / 4294967296.0;
  return -exact_log(-exact_log(uniform));
}

}  // namespace qkv
