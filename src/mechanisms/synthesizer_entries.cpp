// The three kinds of Synthesizer as entries of the catalogue.
#include <algorithm>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "mechanisms/mlp.hpp"
#include "qkv/mixers.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr const char* paper = "Tay, Bahri, Metzler, Juan, Zhao and Zheng 2020, arXiv:2005.00743";

// Bytes of the scores that are made at once.
double band(double tokens) {
  return 4 * std::min(tokens * tokens, std::max(1048576.0, 64 * tokens));
}

constexpr MechanismParameter dense_parameters[] = {{"hidden", 32, 1}, {"seed", 0, 0}};

MechanismCost dense_cost(Index n, Index d, const double* values) {
  const double tokens = static_cast<double>(n), features = static_cast<double>(d);
  const double hidden = values[0];
  return {tokens * (features * hidden + tokens * (hidden + features)),
          4 * 2 * tokens * hidden + band(tokens)};
}

constexpr const char* dense_weights[] = {"weight1", "weight2"};

Status draw_dense(Index n, Index d, const double* values, Tensor* weights) {
  const Index hidden = static_cast<Index>(values[0]);
  QKV_TRY(drawn::uniform(values[1], 0, {hidden, d}, weights[0]));
  return drawn::uniform(values[1], 1, {n, hidden}, weights[1]);
}

Status run_dense(const ConstTensorView& x, const double*, const ConstTensorView* weights,
                 const TensorView& result) {
  SynthesizerOptions options;
  options.weight_1 = weights[0];
  options.weight_2 = weights[1];
  return try_synthesizer(x, x, result, options);
}

constexpr MechanismParameter random_parameters[] = {{"seed", 0, 0}};

MechanismCost random_cost(Index n, Index d, const double*) {
  const double tokens = static_cast<double>(n);
  return {tokens * tokens * static_cast<double>(d), 4 * tokens * tokens};
}

constexpr const char* random_weights[] = {"random"};

Status draw_random(Index n, Index, const double* values, Tensor* weights) {
  return drawn::uniform(values[0], 0, {n, n}, weights[0]);
}

Status run_random(const ConstTensorView& x, const double*, const ConstTensorView* weights,
                  const TensorView& result) {
  SynthesizerOptions options;
  options.random = weights[0];
  return try_synthesizer(x, x, result, options);
}

constexpr MechanismParameter factorized_parameters[] = {{"rank", 32, 1}, {"seed", 0, 0}};

MechanismCost factorized_cost(Index n, Index d, const double* values) {
  const double tokens = static_cast<double>(n), rank = values[0];
  return {tokens * tokens * (rank + static_cast<double>(d)), 4 * 3 * tokens * rank + band(tokens)};
}

constexpr const char* factorized_weights[] = {"left", "right"};

Status draw_factorized(Index n, Index, const double* values, Tensor* weights) {
  const Index rank = static_cast<Index>(values[0]);
  QKV_TRY(drawn::uniform(values[1], 0, {n, rank}, weights[0]));
  return drawn::uniform(values[1], 1, {rank, n}, weights[1]);
}

Status run_factorized(const ConstTensorView& x, const double*, const ConstTensorView* weights,
                      const TensorView& result) {
  SynthesizerOptions options;
  options.left = weights[0];
  options.right = weights[1];
  return try_synthesizer(x, x, result, options);
}

// Every token may use every other one.
Status all_pairs(Index n, const double*, const TensorView& matrix) {
  return try_mask_matrix({}, {n, n}, {matrix.data, {1, 1, n, n}, {0, 0, matrix.strides[0],
                                                                  matrix.strides[1]}});
}

}  // namespace

const Mechanism catalogue::synthesizer_dense = {
    .name = "synthesizer-dense",
    .title = "Dense Synthesizer",
    .paper = paper,
    .year = 2020,
    .family = Family::query_free,
    .exact = false,
    .causal = true,
    .time = "n^2 (hidden + d) + n d hidden",
    .memory = "n hidden",
    .trap = "A token's score for position j comes from the token alone: whatever stands at j, the "
            "weight is the same, and no position beyond the trained length has a score.",
    .parameters = dense_parameters,
    .weights = dense_weights,
    .cost = dense_cost,
    .draw = draw_dense,
    .run = run_dense,
    .pattern = all_pairs,
};

const Mechanism catalogue::synthesizer_random = {
    .name = "synthesizer-random",
    .title = "Random Synthesizer",
    .paper = paper,
    .year = 2020,
    .family = Family::query_free,
    .exact = false,
    .causal = true,
    .time = "n^2 d",
    .memory = "n^2",
    .trap = "The weights are the same for every input, and the scores are parameters that grow "
            "with the square of the longest sequence.",
    .parameters = random_parameters,
    .weights = random_weights,
    .cost = random_cost,
    .draw = draw_random,
    .run = run_random,
    .pattern = all_pairs,
};

const Mechanism catalogue::synthesizer_factorized = {
    .name = "synthesizer-factorized",
    .title = "Factorized random Synthesizer",
    .paper = paper,
    .year = 2020,
    .family = Family::query_free,
    .exact = false,
    .causal = true,
    .time = "n^2 (rank + d)",
    .memory = "n rank",
    .trap = "Factors save parameters and not time: scores are still made for every pair.",
    .parameters = factorized_parameters,
    .weights = factorized_weights,
    .cost = factorized_cost,
    .draw = draw_factorized,
    .run = run_factorized,
    .pattern = all_pairs,
};

}  // namespace qkv
