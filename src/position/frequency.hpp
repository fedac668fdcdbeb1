#pragma once

#include "exact_math.hpp"
#include "qkv/index.hpp"

namespace qkv::position {

// Angle per position of the j-th pair of `dim` features: base^(-2j / dim).
inline double frequency_of(Index j, Index dim, double base) noexcept {
  return exact_exp(-2.0 * static_cast<double>(j) / static_cast<double>(dim) * exact_log(base));
}

}  // namespace qkv::position
