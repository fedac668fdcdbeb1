// Mechanisms that choose every stride-th token.
#include <algorithm>
#include <limits>

#include "exact_math.hpp"
#include "mechanisms/heads.hpp"
#include "mechanisms/patterns.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// --- strided -------------------------------------------------------------------------------------

constexpr MechanismParameter strided_parameters[] = {{"stride", 32, 1}};

Status strided_mask(Index, const double* parameters, Mask& mask) {
  mask = mask::strided(whole(parameters[0]));
  return {};
}

// Tokens of one remainder by the stride, read with a step of `stride`, are a head of their own. Attends
// within each by the mask; log_sum_exp [..., n] is written if it has memory.
Status attend_by_remainders(const ConstTensorView& x, Index stride, const Mask& mask,
                            const TensorView& result, const TensorView& log_sum_exp) {
  const int rank = x.shape.rank(), rows = rank - 2;
  // The axis of n tokens as [count, length]: heads [first, first + count) of `length` tokens each.
  const auto part = [&](const auto& view, Index first, Index count, Index length) {
    auto heads = view;
    const auto axes = static_cast<std::size_t>(view.shape.rank()) + 1;
    heads.shape = Shape(view.shape.begin(), axes);
    heads.strides = Shape(view.strides.begin(), axes);
    for (int axis = view.shape.rank(); axis > rows + 1; --axis) {
      heads.shape[axis] = view.shape[axis - 1];
      heads.strides[axis] = view.strides[axis - 1];
    }
    heads.data += first * view.strides[rows];
    heads.shape[rows] = count;
    heads.shape[rows + 1] = length;
    heads.strides[rows + 1] = stride * view.strides[rows];
    return heads;
  };
  const Index n = x.shape[rows], more = n % stride;
  for (const bool longer : {true, false}) {
    const Index first = longer ? 0 : more, count = longer ? more : stride - more;
    const Index length = n / stride + (longer ? 1 : 0);
    if (count == 0 || length == 0) continue;
    const ConstTensorView tokens = part(x, first, count, length);
    AttentionOptions options;
    options.mask = mask;
    if (log_sum_exp) options.returns.log_sum_exp = part(log_sum_exp, first, count, length);
    QKV_TRY(try_attention(tokens, tokens, tokens, part(result, first, count, length), options));
  }
  return {};
}

// Whether remainders can be heads: they take an axis, and there must be tokens for each.
bool has_remainders(const Shape& x, Index stride) noexcept {
  return x.rank() < Shape::max_rank && stride < x.back(1);
}

Status run_strided(const ConstTensorView& x, const double* parameters, const ConstTensorView*,
                   const TensorView& result) {
  const Index stride = whole(parameters[0]);
  if (!has_remainders(x.shape, stride)) return attend_by_mask(strided_mask, x, parameters, result);
  QKV_TRY(check_result(result, x.shape));
  return attend_by_remainders(x, stride, {}, result, {});
}

MechanismCost strided_cost(Index n, Index d, const double* parameters) {
  const Index stride = whole(parameters[0]);
  const auto each = static_cast<double>(n / stride), more = static_cast<double>(n % stride);
  const double pairs = more * (each + 1) * (each + 1) + (parameters[0] - more) * each * each;
  return pair_cost(pairs, n, d);
}

// --- Sparse Transformer --------------------------------------------------------------------------

// summary 0 is the strided pattern, 1 and more the fixed one.
constexpr MechanismParameter sparse_transformer_parameters[] = {{"stride", 64, 1},
                                                                {"summary", 0, 0}};

Status sparse_transformer_mask(Index, const double* parameters, Mask& mask) {
  const Index stride = whole(parameters[0]), summary = whole(parameters[1]);
  mask = summary == 0 ? mask::sparse_transformer_strided(stride)
                      : mask::sparse_transformer_fixed(stride, summary);
  return {};
}

// The strided pattern is a window and the remainders before it: two dense pieces, joined by their
// log-sum-exp. As one mask the second would be pairs by themselves.
Status run_sparse_transformer(const ConstTensorView& x, const double* parameters,
                              const ConstTensorView*,
                              const TensorView& result) {
  const Index stride = whole(parameters[0]);
  if (parameters[1] != 0 || !has_remainders(x.shape, stride)) {
    return attend_by_mask(sparse_transformer_mask, x, parameters, result);
  }
  QKV_TRY(check_result(result, x.shape));
  const Shape rows(x.shape.begin(), static_cast<std::size_t>(x.shape.rank()) - 1);
  Tensor before, near_sums, before_sums;
  QKV_TRY(Tensor::create(x.shape, before));
  QKV_TRY(Tensor::create(rows, near_sums));
  QKV_TRY(Tensor::create(rows, before_sums));
  AttentionOptions near;
  near.mask = mask::window(stride - 1, 0);
  near.returns.log_sum_exp = near_sums;
  QKV_TRY(try_attention(x, x, x, result, near));
  QKV_TRY(attend_by_remainders(x, stride, mask::causal(-1), before, before_sums));
  const Index d = x.shape.back(0), step = result.strides.back(0);
  for_each_row(x.shape, result.strides, [&](Index row, Index offset) {
    // A token sees at least itself near by.
    const double ratio = exact_exp(static_cast<double>(before_sums[row]) - near_sums[row]);
    const auto share = static_cast<float>(ratio < infinity ? ratio / (1 + ratio) : 1.0);
    float* to = result.data + offset;
    const float* from = before.data() + row * d;
    for (Index i = 0; i < d; ++i) to[i * step] += share * (from[i] - to[i * step]);
  });
  return {};
}

MechanismCost sparse_transformer_cost(Index n, Index d, const double* parameters) {
  const double stride = parameters[0], summary = parameters[1];
  const auto blocks = static_cast<double>(n / whole(stride));
  const auto rest = static_cast<double>(n % whole(stride));
  // Of all queries together, floor(i / stride): the keys of the long reach, or the blocks before.
  const double before = stride * blocks * (blocks - 1) / 2 + rest * blocks;
  const double first = std::min(static_cast<double>(n), stride);
  const double window = first * (first + 1) / 2 + (static_cast<double>(n) - first) * stride;
  const double block = blocks * stride * (stride + 1) / 2 + rest * (rest + 1) / 2;
  if (summary != 0) return pair_cost(block + summary * before, n, d);
  MechanismCost cost = pair_cost(window + before, n, d);
  cost.bytes += 4 * static_cast<double>(n) * static_cast<double>(d + 2);  // of the second piece
  return cost;
}

}  // namespace

const Mechanism catalogue::strided = {
    .name = "strided",
    .title = "Strided attention",
    .paper = "Child, Gray, Radford and Sutskever 2019, arXiv:1904.10509",
    .year = 2019,
    .family = Family::pattern,
    .exact = true,
    .causal = true,
    .time = "n^2 d / stride",
    .memory = "n d",
    .trap = "By itself it never leaves a token's remainder by the stride: without a second pattern "
            "no number of layers joins neighbours.",
    .parameters = strided_parameters,
    .cost = strided_cost,
    .run = run_strided,
    .pattern = show_mask<strided_mask>};

const Mechanism catalogue::sparse_transformer = {
    .name = "sparse-transformer",
    .title = "Sparse Transformer",
    .paper = "Child, Gray, Radford and Sutskever 2019, arXiv:1904.10509",
    .year = 2019,
    .family = Family::pattern,
    .exact = true,
    .causal = true,
    .time = "n (stride + n / stride) d",
    .memory = "n d",
    .trap = "The two parts of a pattern share keys: two softmaxes added up count those twice, one "
            "softmax over the union does not.",
    .parameters = sparse_transformer_parameters,
    .cost = sparse_transformer_cost,
    .run = run_sparse_transformer,
    .pattern = show_mask<sparse_transformer_mask>};

}  // namespace qkv
