// What the catalogue says of linear attention and its feature maps.
#include "mechanisms/catalogue.hpp"
#include "mechanisms/random_projection.hpp"
#include "qkv/linear_attention.hpp"

namespace qkv {
namespace {

// m features of each token, made by so many multiplications and additions, meet the values twice:
// when keys are summed and when queries ask. The sums are all that is kept, with a block of 64 tokens.
MechanismCost cost_of(Index n, Index d, double features, double making) noexcept {
  const double tokens = static_cast<double>(n), width = static_cast<double>(d);
  MechanismCost cost;
  cost.multiply_adds = 2 * tokens * (features * width + making);
  cost.bytes = 4 * (3 * features * width + 2 * 64 * features + 2 * 64 * width);
  return cost;
}

MechanismCost elementwise_cost(Index n, Index d, const double*) {
  return cost_of(n, d, static_cast<double>(d), 0);
}

MechanismCost favor_cost(Index n, Index d, const double* parameters) {
  const double features = parameters[0], width = static_cast<double>(d);
  MechanismCost cost = cost_of(n, d, features, features * width);
  cost.bytes += 4 * 2 * features * width;  // the projection
  return cost;
}

MechanismCost fourier_cost(Index n, Index d, const double* parameters) {
  const double features = parameters[0], width = static_cast<double>(d);
  MechanismCost cost = cost_of(n, d, 2 * features, features * width);
  cost.bytes += 4 * 2 * features * width;
  return cost;
}

Status run_with(const FeatureMap& map, const ConstTensorView& x, const TensorView& result) {
  LinearAttentionOptions options;
  options.feature_map = map;
  return try_linear_attention(x, x, x, result, options);
}

Status run_linear(const ConstTensorView& x, const double*, const ConstTensorView*,
                  const TensorView& result) {
  return run_with(feature::Elu{}, x, result);
}
Status run_efficient(const ConstTensorView& x, const double*, const ConstTensorView*,
                     const TensorView& result) {
  return run_with(feature::Softmax{}, x, result);
}

// Of both maps with random features.
constexpr const char* weight_names[] = {"projection"};

Status draw_projection(bool orthogonal, Index d, const double* parameters, Tensor* weights) {
  const Index features = static_cast<Index>(parameters[0]);
  QKV_TRY(Tensor::create({features, d}, weights[0]));
  return random::fill_projection(static_cast<std::uint64_t>(parameters[1]), orthogonal, 1, features,
                                 d, weights[0].data());
}

Status draw_performer(Index, Index d, const double* parameters, Tensor* weights) {
  return draw_projection(true, d, parameters, weights);
}
Status run_performer(const ConstTensorView& x, const double*, const ConstTensorView* weights,
                     const TensorView& result) {
  feature::Favor favor;
  favor.projection = weights[0];
  return run_with(favor, x, result);
}

Status draw_rfa(Index, Index d, const double* parameters, Tensor* weights) {
  return draw_projection(false, d, parameters, weights);
}
Status run_rfa(const ConstTensorView& x, const double*, const ConstTensorView* weights,
               const TensorView& result) {
  feature::Fourier fourier;
  fourier.projection = weights[0];
  return run_with(fourier, x, result);
}

constexpr MechanismParameter favor_parameters[] = {{"features", 256, 1}, {"seed", 1, 0}};
constexpr MechanismParameter fourier_parameters[] = {{"features", 64, 1}, {"seed", 1, 0}};

}  // namespace

const Mechanism catalogue::linear = {
    .name = "linear",
    .title = "Linear Transformer",
    .paper = "Katharopoulos, Vyas, Pappas and Fleuret 2020, arXiv:2006.16236",
    .year = 2020,
    .family = Family::reordered,
    .exact = false,
    .causal = true,
    .time = "n d^2",
    .memory = "d^2",
    .trap = "Padded keys must be left out after the feature map: a key of zeros still has the "
            "features elu(0) + 1 = 1, in the numerator and in the denominator.",
    .parameters = {},
    .cost = elementwise_cost,
    .run = run_linear,
};

const Mechanism catalogue::efficient = {
    .name = "efficient",
    .title = "Efficient attention",
    .paper = "Shen, Zhang, Zhao, Yi and Li 2018, arXiv:1812.01243",
    .year = 2018,
    .family = Family::reordered,
    .exact = false,
    .causal = false,
    .time = "n d^2",
    .memory = "d^2",
    .trap = "The softmax of the keys runs over the whole sequence, so that a causal mask put on "
            "afterwards still lets every token see the future.",
    .parameters = {},
    .cost = elementwise_cost,
    .run = run_efficient,
};

const Mechanism catalogue::performer = {
    .name = "performer",
    .title = "Performer (FAVOR+)",
    .paper = "Choromanski et al. 2021, arXiv:2009.14794",
    .year = 2021,
    .family = Family::reordered,
    .exact = false,
    .causal = true,
    .time = "n features d",
    .memory = "features d",
    .trap = "What keeps exp from overflowing is usually the largest over all keys, which shows every "
            "token the future; and the error of the random features grows with the length of "
            "queries and keys.",
    .parameters = favor_parameters,
    .weights = weight_names,
    .cost = favor_cost,
    .draw = draw_performer,
    .run = run_performer,
};

const Mechanism catalogue::rfa = {
    .name = "rfa",
    .title = "Random Feature Attention",
    .paper = "Peng, Pappas, Yogatama, Schwartz, Smith and Kong 2021, arXiv:2103.02143",
    .year = 2021,
    .family = Family::reordered,
    .exact = false,
    .causal = true,
    .time = "n features d",
    .memory = "features d",
    .trap = "Sines and cosines have both signs: the denominator can come near 0 or below it, and must "
            "be kept away from 0 in the same way in every form of the computation.",
    .parameters = fourier_parameters,
    .weights = weight_names,
    .cost = fourier_cost,
    .draw = draw_rfa,
    .run = run_rfa,
};

}  // namespace qkv
