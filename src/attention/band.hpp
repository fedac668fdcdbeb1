// The work on one band: up to 64 queries of one head against the keys that they may see.
#pragma once

#include "attention/band_scratch.hpp"
#include "attention/operands.hpp"
#include "attention/problem.hpp"
#include "kernels/table.hpp"

namespace qkv {

// Key tiles [first, last).
struct TileRange {
  Index first = 0;
  Index last = 0;
};

// What a band's queries have found in a range of key tiles: sums of exp(score - maximum), and of the
// values so weighed. Ranges are merged by their log-sum-exp, in order.
struct Partial {
  static Index floats(Index value_width) noexcept { return tile_size * (2 + value_width); }
  explicit Partial(float* memory) noexcept
      : maximum(memory), sum(memory + tile_size), output(memory + 2 * tile_size) {}

  float* maximum;  // [64]
  float* sum;      // [64]
  float* output;   // [64][value width]
};

// `memory` holds BandScratch::floats(...) floats. All keys: writes every result of the band.
void run_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
              const Operands& operands, const Band& band, float* memory) noexcept;

// A range of the keys, for normalizers that weigh (not those that pick one key).
void run_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
              const Operands& operands, const Band& band, const TileRange& tiles,
              const Partial& partial, float* memory) noexcept;

// The results from those of all ranges, which lie one after the other.
void merge_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
                const Operands& operands, const Band& band, float* partials, Index count,
                float* memory) noexcept;

}  // namespace qkv
