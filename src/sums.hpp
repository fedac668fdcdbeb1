// Sums in double precision.
#pragma once

#include "qkv/index.hpp"

namespace qkv {

// term(0) + ... + term(n - 1), in four sums: an addition to one alone would wait for the last.
template <class Term>
double sum_of(Index n, const Term& term) noexcept {
  double sums[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int part = 0; part < 4; ++part) sums[part] += term(i + part);
  }
  for (; i < n; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace qkv
