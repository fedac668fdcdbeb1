// Numbers to test with: the same on every platform, and not the library's own generator.
#pragma once

#include <cstdint>
#include <vector>

#include "qkv/index.hpp"

namespace qkv::test {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  // Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // A whole number in [0, end).
  Index below(Index end) {
    return static_cast<Index>(bits() % static_cast<std::uint64_t>(end));
  }

  bool chance(double probability) {
    return static_cast<double>(bits() >> 11) < probability * 9007199254740992.0;
  }

  // Full-length float32 numbers in [low, high).
  float uniform(float low = -1, float high = 1) {
    return low + (high - low) * (static_cast<float>(bits() >> 40) / 16777216.0f);
  }

  std::vector<float> list(Index count, float low = -1, float high = 1) {
    std::vector<float> values;
    for (Index i = 0; i < count; ++i) values.push_back(uniform(low, high));
    return values;
  }

  // Multiples of 1/8 in [-1, 1]: their dot products are exact in any order.
  std::vector<float> grid(Index count) {
    std::vector<float> values;
    for (Index i = 0; i < count; ++i) values.push_back(static_cast<float>(below(17) - 8) / 8);
    return values;
  }

 private:
  std::uint64_t state_;
};

}  // namespace qkv::test
