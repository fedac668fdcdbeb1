// Walking through the floats themselves, to hold a function to an accuracy everywhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace qkv::test {

inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Every `step`-th float of [0, largest], and with them the same below 0.
inline std::vector<float> floats_up_to(float largest, std::uint32_t step) {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits <= bits_of(largest); bits += step) {
    values.push_back(float_of(bits));
    values.push_back(-float_of(bits));
  }
  return values;
}

// The floats next to x, on both sides.
inline std::vector<float> floats_around(float x, int reach) {
  std::vector<float> values;
  for (int step = -reach; step <= reach; ++step) {
    values.push_back(float_of(bits_of(x) + static_cast<std::uint32_t>(step)));
  }
  return values;
}

}  // namespace qkv::test
