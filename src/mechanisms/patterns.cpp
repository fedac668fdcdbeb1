// Exact attention and the mechanisms that choose pairs by position.
#include "mechanisms/patterns.hpp"

#include <algorithm>
#include <vector>

#include "text.hpp"

namespace qkv {
namespace {

// --- attention -----------------------------------------------------------------------------------

Status exact_mask(Index, const double*, Mask&) { return {}; }

MechanismCost exact_cost(Index n, Index d, const double*) {
  return pair_cost(static_cast<double>(n) * static_cast<double>(n), n, d);
}

// --- local ---------------------------------------------------------------------------------------

constexpr MechanismParameter local_parameters[] = {{"window", 128, 0}};

Status local_mask(Index, const double* parameters, Mask& mask) {
  mask = mask::window(whole(parameters[0]), whole(parameters[0]));
  return {};
}

double local_pairs(double n, double window) {
  const double reach = std::min(window, std::max(n - 1, 0.0));
  return n * (2 * reach + 1) - reach * (reach + 1);
}

MechanismCost local_cost(Index n, Index d, const double* parameters) {
  return pair_cost(local_pairs(static_cast<double>(n), parameters[0]), n, d);
}

// --- global --------------------------------------------------------------------------------------

constexpr MechanismParameter global_parameters[] = {{"globalTokens", 16, 0}};

// The first tokens, as many as there are.
std::vector<Index> first_tokens(Index n, double count) {
  std::vector<Index> tokens;
  for (Index token = 0; token < std::min(n, whole(count)); ++token) tokens.push_back(token);
  return tokens;
}

Status global_mask(Index n, const double* parameters, Mask& mask) {
  mask = mask::global(first_tokens(n, parameters[0]));
  return {};
}

double global_pairs(double n, double tokens) {
  const double others = n - std::min(n, tokens);
  return n * n - others * others;
}

MechanismCost global_cost(Index n, Index d, const double* parameters) {
  return pair_cost(global_pairs(static_cast<double>(n), parameters[0]), n, d);
}

// --- Longformer ----------------------------------------------------------------------------------

constexpr MechanismParameter longformer_parameters[] = {{"window", 128, 0}, {"globalTokens", 1, 0}};

Status longformer_mask(Index n, const double* parameters, Mask& mask) {
  mask = mask::longformer(whole(parameters[0]), first_tokens(n, parameters[1]));
  return {};
}

MechanismCost longformer_cost(Index n, Index d, const double* parameters) {
  const auto tokens = static_cast<double>(n);
  const double others = tokens - std::min(tokens, parameters[1]);
  return pair_cost(global_pairs(tokens, parameters[1]) + local_pairs(others, parameters[0]), n, d);
}

// --- BigBird -------------------------------------------------------------------------------------

constexpr MechanismParameter big_bird_parameters[] = {
    {"blockSize", 64, 1}, {"randomBlocks", 3, 0}, {"globalBlocks", 2, 0}, {"seed", 0, 0}};

// As many random blocks as every row has left: short sequences have fewer than were asked for.
mask::BigBirdOptions big_bird_options(Index n, const double* parameters) {
  mask::BigBirdOptions options;
  options.block_size = whole(parameters[0]);
  options.global_blocks = whole(parameters[2]);
  options.seed = static_cast<std::uint64_t>(parameters[3]);
  const Index blocks = n / options.block_size + (n % options.block_size > 0 ? 1 : 0);
  const Index left = std::max<Index>(blocks - 3 - std::min(blocks, options.global_blocks), 0);
  options.random_blocks = std::min(whole(parameters[1]), left);
  return options;
}

Status big_bird_mask(Index n, const double* parameters, Mask& mask) {
  mask = mask::big_bird(big_bird_options(n, parameters));
  return {};
}

MechanismCost big_bird_cost(Index n, Index d, const double* parameters) {
  const auto tokens = static_cast<double>(n);
  const auto random = static_cast<double>(big_bird_options(n, parameters).random_blocks);
  const double global = std::min(tokens, parameters[2] * parameters[0]);
  const double seen = std::min(tokens, global + (3 + random) * parameters[0]);
  return pair_cost(global * tokens + (tokens - global) * seen, n, d);
}

}  // namespace

Status attend_by_mask(MakeMask make, const ConstTensorView& x, const double* parameters,
                      const TensorView& result) {
  AttentionOptions options;
  QKV_TRY(make(x.shape.back(1), parameters, options.mask));
  return try_attention(x, x, x, result, options);
}

Status show_by_mask(MakeMask make, Index n, const double* parameters, const TensorView& matrix) {
  Mask mask;
  QKV_TRY(make(n, parameters, mask));
  return try_mask_matrix(mask, {n, n, 1, 1},
                         {matrix.data, {1, 1, n, n}, {0, 0, matrix.strides[0], matrix.strides[1]}});
}

MechanismCost pair_cost(double pairs, Index n, Index d) noexcept {
  const auto width = static_cast<double>(d);
  return {2 * pairs * width, 4 * (static_cast<double>(n) * width + 64 * 6 * width + 64 * 64)};
}

const Mechanism catalogue::exact = {
    .name = "attention",
    .title = "Exact attention",
    .paper = "Vaswani et al. 2017, arXiv:1706.03762",
    .year = 2017,
    .family = Family::exact,
    .exact = true,
    .causal = true,
    .time = "n^2 d",
    .memory = "n d",
    .trap = "A query that may see nothing has no weights: code that adds a large negative number "
            "instead of excluding pairs gives it the mean of what it must not see.",
    .parameters = {},
    .cost = exact_cost,
    .run = run_masked<exact_mask>,
    .pattern = show_mask<exact_mask>};

const Mechanism catalogue::local = {
    .name = "local",
    .title = "Local attention",
    .paper = "Parmar et al. 2018, arXiv:1802.05751",
    .year = 2018,
    .family = Family::pattern,
    .exact = true,
    .causal = true,
    .time = "n window d",
    .memory = "n d",
    .trap = "Implementations count a window on one side or over both; over both, an even one has a "
            "key more on the side that the code happens to choose.",
    .parameters = local_parameters,
    .cost = local_cost,
    .run = run_masked<local_mask>,
    .pattern = show_mask<local_mask>};

const Mechanism catalogue::global = {
    .name = "global",
    .title = "Global tokens",
    .paper = "Ainslie et al. 2020, arXiv:2004.08483",
    .year = 2020,
    .family = Family::pattern,
    .exact = true,
    .causal = false,
    .time = "n globalTokens d",
    .memory = "n d",
    .trap = "A global token has to see all as well as be seen by all: with its column alone it has "
            "nothing to pass on.",
    .parameters = global_parameters,
    .cost = global_cost,
    .run = run_masked<global_mask>,
    .pattern = show_mask<global_mask>};

const Mechanism catalogue::longformer = {
    .name = "longformer",
    .title = "Longformer",
    .paper = "Beltagy, Peters and Cohan 2020, arXiv:2004.05150",
    .year = 2020,
    .family = Family::pattern,
    .exact = true,
    .causal = true,
    .time = "n (window + globalTokens) d",
    .memory = "n d",
    .trap = "The published attention_window counts both sides, this window one; and a global key "
            "inside the window belongs to the softmax once.",
    .parameters = longformer_parameters,
    .cost = longformer_cost,
    .run = run_masked<longformer_mask>,
    .pattern = show_mask<longformer_mask>};

const Mechanism catalogue::big_bird = {
    .name = "bigbird",
    .title = "BigBird",
    .paper = "Zaheer et al. 2020, arXiv:2007.14062",
    .year = 2020,
    .family = Family::pattern,
    .exact = true,
    .causal = false,
    .time = "n (3 + randomBlocks + globalBlocks) blockSize d",
    .memory = "n d",
    .trap = "A short sequence has no blocks left to draw: published code then turns to full "
            "attention, or counts a block twice.",
    .parameters = big_bird_parameters,
    .cost = big_bird_cost,
    .run = run_masked<big_bird_mask>,
    .pattern = show_mask<big_bird_mask>};

}  // namespace qkv
