// The catalogue: every mechanism of this library, once. Tests, benchmarks, the generated
// documentation and the tutorial walk it.
#pragma once

#include <cstdint>
#include <span>

#include "qkv/export.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

enum class Family {
  exact,       // all pairs, or those of a graph
  pattern,     // pairs chosen by position
  content,     // pairs chosen by what the tokens hold
  fewer_keys,  // keys and values are shortened first
  reordered,   // keys meet values first
  query_free,  // weights that do not come from queries and keys
  mixer,       // no weights between tokens that depend on the input at all
  picking,     // one item, or one place
  baseline,    // what attention is compared with
};
QKV_API const char* family_name(Family family) noexcept;

// A number that a mechanism can be run with.
struct MechanismParameter {
  const char* name;  // as options are named in JavaScript
  double value;      // unless another is given
  double least;      // smaller ones are refused
};

struct MechanismCost {
  double multiply_adds = 0;
  double bytes = 0;  // of working memory, beyond the input and the result
};

// One head of n tokens of d features. `parameters` are the numbers of the list, in its order.
struct Mechanism {
  const char* name;    // "sparse-transformer"
  const char* title;   // "Sparse Transformer"
  const char* paper;   // authors and year as one cites them, and the arXiv number where there is one
  int year;
  Family family;
  bool exact;          // the same as exact attention under the mechanism's own mask
  bool causal;         // has a form in which no token sees a later one
  const char* time;    // per head, of n tokens, d features and the parameters by name
  const char* memory;  // beyond input and output
  const char* trap;    // what implementations get wrong or leave unsaid
  std::span<const MechanismParameter> parameters;
  // What a model would have learned, at most four tensors, named as the options of the mechanism's
  // own function are in JavaScript. Empty: nothing.
  std::span<const char* const> weights = {};

  MechanismCost (*cost)(Index n, Index d, const double* parameters);
  // Draws the weights for n tokens of d features from the parameter "seed"; null without weights.
  Status (*draw)(Index n, Index d, const double* parameters, Tensor* weights) = nullptr;
  // x [..., n, d] is query, key and value at once.
  Status (*run)(const ConstTensorView& x, const double* parameters, const ConstTensorView* weights,
                const TensorView& result);
  // Shape of the result; null: as x.
  Shape (*shape)(const Shape& x, const double* parameters) = nullptr;
  // Writes 1 where query i may see key j and 0 elsewhere, matrix [n, n]; null where the pairs depend
  // on the input or there are none.
  Status (*pattern)(Index n, const double* parameters, const TensorView& matrix) = nullptr;
};

QKV_API std::span<const Mechanism* const> mechanisms() noexcept;
// Null when there is none of the name.
QKV_API const Mechanism* find_mechanism(const char* name) noexcept;

// In all of these `parameters` holds a number for each of the list, or is empty for the values of the
// list. Errors: argument (a parameter that is too small or not a whole number), and those of the
// mechanism.

// Draws a mechanism's weights for sequences of n tokens of d features, a tensor for each name: once,
// as a model is trained once. Errors: memory.
QKV_API Status try_draw_weights(const Mechanism& mechanism, Index n, Index d,
                                std::span<const double> parameters,
                                std::span<Tensor> weights) noexcept;
// Runs one by its entry, with these weights, a tensor for each name; where none are given they are
// drawn first, which can take longer than the mechanism.
QKV_API Status try_run(const Mechanism& mechanism, const ConstTensorView& x,
                       std::span<const double> parameters, const TensorView& result,
                       std::span<const ConstTensorView> weights = {}) noexcept;
QKV_API Status try_pattern(const Mechanism& mechanism, Index n,
                           std::span<const double> parameters, const TensorView& matrix) noexcept;
QKV_API Status try_cost(const Mechanism& mechanism, Index n, Index d,
                        std::span<const double> parameters, MechanismCost& cost) noexcept;
QKV_API Shape result_shape(const Mechanism& mechanism, const Shape& x,
                           std::span<const double> parameters) noexcept;

}  // namespace qkv
