// Moving rows of features into the layouts of kernels/table.hpp and back.
#pragma once

#include "division.hpp"
#include "kernels/table.hpp"

namespace qkv {

inline constexpr Index panel_block = 64;  // queries of a band, keys of a tile, outputs of a step

// Up to 64 rows into packed groups: see Kernels::scores.
inline void pack_groups(const Kernels& kernels, float* packed, const float* rows, Index row_step,
                        Index step, Index count, Index width) noexcept {
  if (step == 1) return kernels.group(packed, rows, row_step, count, width);
  for (Index first = 0; first < count; first += kernels.rows) {
    const Index in_group = count - first < kernels.rows ? count - first : kernels.rows;
    const float* group = rows + first * row_step;
    for (Index d = 0; d < width; ++d) {
      for (Index r = 0; r < in_group; ++r) *packed++ = group[r * row_step + d * step];
    }
  }
}

// Up to `lanes` rows side by side, zeros where there is none.
inline void pack_panel(const Kernels& kernels, float* panel, const float* rows, Index row_step,
                       Index step, Index count, Index width, float scale = 1) noexcept {
  if (step == 1) return kernels.pack(panel, rows, row_step, count, width, scale);
  const Index lanes = kernels.lanes;
  for (Index i = 0; i < lanes; ++i) {
    const float* row = rows + i * row_step;
    for (Index d = 0; d < width; ++d) {
      panel[d * lanes + i] = i < count ? row[d * step] * scale : 0;
    }
  }
}

// The way back.
inline void unpack_panel(const Kernels& kernels, const float* panel, float* rows, Index row_step,
                         Index step, Index count, Index width) noexcept {
  if (step == 1) return kernels.unpack(rows, row_step, panel, nullptr, count, width);
  for (Index i = 0; i < count; ++i) {
    float* row = rows + i * row_step;
    for (Index d = 0; d < width; ++d) row[d * step] = panel[d * kernels.lanes + i];
  }
}

}  // namespace qkv
