// The hot loops of attention, one table of pointers per instruction set.
//
// Queries lie in lanes. A *panel* is `lanes` queries side by side: element (d, i) of a panel of
// width D is at [d * lanes + i]. Scores of a panel against some keys are again such a panel, keys
// down, queries across, so that softmax runs straight down the lanes, no lane ever needs another,
// and the weights are already in the order in which the values' product wants them. Lanes without
// a query hold zeros or whatever comes of them, and are never read.
//
// Nothing here allocates, checks, or reads past the sizes given. Pointers do not alias unless said.
// The tables are called through pointers on purpose: in WebAssembly an inlined hot loop would stay
// in the engine's baseline code for as long as its caller runs.
#pragma once

#include <cstdint>

#include "qkv/index.hpp"

namespace qkv {

inline constexpr int most_few = 4;  // queries, see few_scores

struct Kernels {
  const char* name;
  int lanes;  // queries of a panel; divides 64
  int rows;   // keys of a group in packed keys

  // scores[keys][lanes] = packed keys . query panel[width][lanes].
  // Packed keys: groups of `rows` keys (the last one of what is left), each [width][keys of group].
  void (*scores)(float* scores, const float* query, const float* packed, Index keys, Index width);

  // scores[keys][lanes] = sum over h of vector[h] * tanh(query[h][lanes] + key[keys][width]).
  void (*additive_scores)(float* scores, const float* query, const float* key, Index key_step,
                          const float* vector, Index keys, Index width);

  // x[n] = cap * tanh(x / cap).
  void (*softcap)(float* x, Index n, float cap);

  // x[n] += y[n].
  void (*add)(float* x, const float* y, Index n);

  // scores[keys][lanes] = -infinity where bit (shift + lane) of allowed[key] is clear.
  void (*select)(float* scores, const std::uint64_t* allowed, int shift, Index keys);

  // One step of the online softmax, per lane, over scores[keys][lanes]: takes the maximum and sum so
  // far, turns scores into exp(score - new maximum), and gives the factor for what was summed before.
  void (*softmax)(float* scores, Index keys, float* maximum, float* sum, float* factor);

  // scores = max(scores, 0), added to sum[lanes]. NaN stays NaN.
  void (*relu)(float* scores, Index keys, float* sum);

  // x[n] = 1 / (1 + exp(-x)).
  void (*sigmoid)(float* x, Index n);

  // output[width][lanes] = output * factor[lanes] + values[keys][width]^T . weights[keys][lanes].
  // Without a factor the output is only written.
  void (*aggregate)(float* output, const float* weights, const float* values, Index value_step,
                    Index keys, Index width, const float* factor);

  // For few pairs, one query at a time. `index` holds the rows of keys or values to use.
  // scores[n] = keys[index[n]] . query[width].
  void (*row_scores)(float* scores, const float* query, const float* keys, Index key_step,
                     const std::int32_t* index, Index n, Index width);
  void (*row_additive_scores)(float* scores, const float* query, const float* keys, Index key_step,
                              const float* vector, const std::int32_t* index, Index n, Index width);
  // As softmax, for one row: returns the factor.
  float (*row_softmax)(float* scores, Index n, float* maximum, float* sum);
  // output[width] = output * factor + sum of weights[n] * values[index[n]].
  void (*row_aggregate)(float* output, const float* weights, const float* values, Index value_step,
                        const std::int32_t* index, Index n, Index width, float factor);
  // Scores of a whole row to weights: exp(x - maximum) / sum, and 0 for -infinity.
  void (*row_weights)(float* x, Index n, float maximum, float sum);

  // For up to `most_few` queries against consecutive keys, so that keys and values, which then are
  // nearly all of the work's memory, are read once. `*_step` apart lie the rows of each.
  // scores[count][n] = queries[count][width] . keys[n][width]^T.
  void (*few_scores)(float* scores, Index scores_step, const float* queries, Index query_step,
                     Index count, const float* keys, Index key_step, Index n, Index width);
  // output[count][width] = output * factor[count] + weights[count][n] . values[n][width].
  void (*few_aggregate)(float* output, Index output_step, const float* weights, Index weights_step,
                        Index count, const float* values, Index value_step, Index n, Index width,
                        const float* factor);

  // Between rows of features, which lie side by side, and the layouts above.
  // panel[width][lanes] = scale * rows[count][width]^T; lanes without a row are zero.
  void (*pack)(float* panel, const float* rows, Index row_step, Index count, Index width,
               float scale);
  // rows[count][width] = (panel[width][lanes] / divisor[lanes])^T; without a divisor, as they are.
  void (*unpack)(float* rows, Index row_step, const float* panel, const float* divisor, Index count,
                 Index width);
  // packed keys = rows[count][width].
  void (*group)(float* packed, const float* rows, Index row_step, Index count, Index width);
};

namespace arch {

// Tables that this build holds; null where the compiler does not target the instruction set.
const Kernels* scalar() noexcept;
const Kernels* sse2() noexcept;
const Kernels* avx2() noexcept;
const Kernels* avx512() noexcept;
const Kernels* neon64() noexcept;
const Kernels* wasm() noexcept;

}  // namespace arch
}  // namespace qkv
