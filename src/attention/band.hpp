// The work on one band: up to 64 queries of one head against all keys that they may see.
#pragma once

#include "attention/operands.hpp"
#include "attention/problem.hpp"
#include "kernels/table.hpp"

namespace qkv {

// Memory of one band, cut from one piece so that nothing is allocated while bands run.
struct BandScratch {
  static Index floats(const Problem& problem, const Kernels& kernels) noexcept;
  BandScratch(float* memory, const Problem& problem, const Kernels& kernels) noexcept;

  float* queries;      // panels of what meets the keys: [panels][score width][lanes]
  float* raw;          // one panel of queries before their projection
  float* query_rows;   // the same, row by row: [64][score width]
  float* scores;       // a panel of scores: [64 keys][lanes]
  float* bias;         // the same
  float* output;       // panels of sums: [panels][value width][lanes]
  float* row_output;   // sums of queries run by themselves: [64][value width]
  float* safe_values;  // a tile of values without those that are not finite: [64][value width]
};

// Runs queries [first, first + 64) of (batch, head) and writes every result for them.
void run_band(const Problem& problem, const Kernels& kernels, const OperandStore& store,
              const Operands& operands, Index batch, Index head, Index first,
              float* memory) noexcept;

}  // namespace qkv
