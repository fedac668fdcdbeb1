// Whole-number division that does not round toward zero.
#pragma once

#include "qkv/index.hpp"

namespace qkv {

// b > 0.
inline Index ceil_div(Index a, Index b) noexcept { return (a + b - 1) / b; }
inline Index floor_div(Index a, Index b) noexcept { return a >= 0 ? a / b : -ceil_div(-a, b); }

}  // namespace qkv
