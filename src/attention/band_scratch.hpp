// The memory in which one band is worked on.
#pragma once

#include "attention/problem.hpp"
#include "kernels/table.hpp"

namespace qkv {

// Cut from one piece, so that nothing is allocated while bands run.
struct BandScratch {
  static Index floats(const Problem& problem, const Kernels& kernels) noexcept;
  BandScratch(float* memory, const Problem& problem, const Kernels& kernels) noexcept;

  float* queries;      // panels of what meets the keys: [panels][score width][lanes]
  float* raw;          // one panel of queries before their projection
  float* query_rows;   // the same, row by row: [64][score width]
  float* scores;       // panels of scores: [panels][64 keys][lanes]
  float* bias;         // a panel of them: [64 keys][lanes]
  float* output;       // panels of sums: [panels][value width][lanes]
  float* row_output;   // sums of queries run by themselves: [64][value width]
  float* safe_values;  // a tile of values without those that are not finite: [64][value width]
  float* rows;         // a panel's results row by row: [lanes][value width]
  std::int32_t* pending;  // keys that queries by themselves have yet to meet: [64][64]
};

}  // namespace qkv
