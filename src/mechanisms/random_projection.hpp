// The weights of random features.
#pragma once

#include <algorithm>
#include <cmath>

#include "layout.hpp"
#include "memory.hpp"
#include "random/fill.hpp"
#include "sums.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv::random {

inline double dot(const double* a, const double* b, Index n) noexcept {
  return sum_of(n, [&](Index i) { return a[i] * b[i]; });
}

// Makes rows orthogonal, each as long as before: the length and the direction of a normal vector
// do not depend on one another, so that lengths stay those of normal vectors.
inline void make_orthogonal(double* rows, Index count, Index width, double* length) noexcept {
  for (Index i = 0; i < count; ++i) {
    length[i] = std::sqrt(dot(rows + i * width, rows + i * width, width));
  }
  for (Index i = 0; i < count; ++i) {
    double* row = rows + i * width;
    const double size = std::sqrt(dot(row, row, width));
    const double unit = size > 0 ? 1 / size : 0;
    for (Index d = 0; d < width; ++d) row[d] *= unit;
    for (Index later = i + 1; later < count; ++later) {
      double* other = rows + later * width;
      const double along = dot(row, other, width);
      for (Index d = 0; d < width; ++d) other[d] -= along * row[d];
    }
    for (Index d = 0; d < width; ++d) row[d] *= length[i];
  }
}

// weights [rows, width]: normal numbers times `scale`, or rows that are orthogonal in blocks of
// `width`. A longer projection begins with the shorter one.
inline Status fill_projection(std::uint64_t seed, bool orthogonal, double scale, Index rows,
                              Index width, float* weights) {
  const Index in_block = std::max<Index>(1, orthogonal ? std::min(rows, width) : panel_block);
  const Index blocks = ceil_div(rows, in_block);
  const int workers = workers_for(static_cast<double>(rows) * static_cast<double>(width) * 100);
  Buffer<double> memory;
  const Index doubles = in_block * (width + 1);
  QKV_TRY(memory.reserve(workers * doubles));
  parallel_for(blocks, workers, [&](Index block, int worker) {
    double* drawn = memory.data() + worker * doubles;
    const Index first = block * in_block, count = std::min(in_block, rows - first);
    for (Index i = 0; i < count * width; ++i) drawn[i] = normal(seed, first * width + i, 1);
    if (orthogonal) make_orthogonal(drawn, count, width, drawn + in_block * width);
    for (Index i = 0; i < count * width; ++i) {
      weights[first * width + i] = static_cast<float>(drawn[i] * scale);
    }
  });
  return {};
}

}  // namespace qkv::random
