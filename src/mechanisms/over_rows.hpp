// A loop over rows, in pieces over threads.
#pragma once

#include <algorithm>

#include "division.hpp"
#include "threads/pool.hpp"

namespace qkv {

// Calls body(row) once for each of `count` rows, which take so many multiplications each. Bodies
// must not write what another row's reads.
template <class Body>
void over_rows(Index count, Index work, const Body& body) noexcept {
  constexpr Index piece = 64;
  const int workers = workers_for(static_cast<double>(count) * static_cast<double>(work));
  parallel_for(ceil_div(count, piece), workers, [&](Index item, int) {
    const Index last = std::min(count, (item + 1) * piece);
    for (Index row = item * piece; row < last; ++row) body(row);
  });
}

}  // namespace qkv
