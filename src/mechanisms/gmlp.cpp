#include <algorithm>

#include "check.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "mechanisms/mlp.hpp"
#include "qkv/linear.hpp"
#include "strided.hpp"

namespace qkv {
namespace {

struct Sizes {
  Index entries = 1, length = 0, features = 0, inner = 0;

  explicit Sizes(const ConstTensorView& x)
      : length(x.shape.back(1)), features(x.shape.back(0)) {
    for (int axis = 0; axis + 2 < x.shape.rank(); ++axis) entries *= x.shape[axis];
  }
};

Status check_spatial(const ConstTensorView& x, const GmlpOptions& options, Index length) {
  const ConstTensorView& weight = options.spatial_weight;
  const bool square = weight.shape.rank() == 2 && weight.shape[0] == weight.shape[1];
  if (options.causal && (!square || weight.shape[0] < length)) {
    return shape_error("spatialWeight: expected a square of ", length,
                       " or more tokens for x of shape ", x.shape, ", saw ", weight.shape);
  }
  if (!options.causal && (!square || weight.shape[0] != length)) {
    return shape_error("spatialWeight: expected [", length, ", ", length, "] for x of shape ",
                       x.shape, " (more tokens when causal), saw ", weight.shape);
  }
  QKV_TRY(check_view("spatialWeight", weight, 2));
  return mlp::check_optional("spatialBias", options.spatial_bias, weight.shape[0]);
}

Status check(const ConstTensorView& x, const TensorView& result, const GmlpOptions& options,
             Sizes& sizes) {
  const Index features = sizes.features;
  QKV_TRY(mlp::check_weight("inWeight", options.in_weight, features, x));
  const Index both = options.in_weight.shape[0];
  if (both % 2 != 0) {
    return shape_error("inWeight: its outputs are two equal parts; saw ", both, " in ",
                       options.in_weight.shape);
  }
  sizes.inner = both / 2;
  QKV_TRY(mlp::check_optional("inBias", options.in_bias, both));
  QKV_TRY(mlp::check_optional("normWeight", options.norm_weight, features));
  QKV_TRY(mlp::check_optional("normBias", options.norm_bias, features));
  QKV_TRY(mlp::check_optional("gateNormWeight", options.gate_norm_weight, sizes.inner));
  QKV_TRY(mlp::check_optional("gateNormBias", options.gate_norm_bias, sizes.inner));
  QKV_TRY(check_spatial(x, options, sizes.length));
  QKV_TRY(check_shape("outWeight", options.out_weight, {features, sizes.inner}));
  QKV_TRY(mlp::check_optional("outBias", options.out_bias, features));
  QKV_TRY(mlp::check_epsilon(options.epsilon));
  return check_shape("result", result, x.shape);
}

class Gated {
 public:
  Gated(const ConstTensorView& x, const TensorView& result, const GmlpOptions& options,
        const Sizes& sizes) noexcept
      : x_(x), result_(result), options_(options), sizes_(sizes) {}

  Status run() noexcept {
    const Index size = sizes_.length * sizes_.features, inner = 2 * sizes_.length * sizes_.inner;
    if (sizes_.entries * size == 0) return {};
    const Index at_once = std::clamp<Index>(mlp::budget / (size + inner), 1, sizes_.entries);
    QKV_TRY(outer_.reserve(at_once * size));
    QKV_TRY(inner_.reserve(at_once * inner));
    for (Index first = 0; first < sizes_.entries; first += at_once) {
      const Index count = std::min(at_once, sizes_.entries - first);
      const TensorView outer(outer_.data(), {count, sizes_.length, sizes_.features});
      for (Index at = 0; at < count; ++at) {
        copy_elements(mlp::entry_of(x_, first + at), mlp::entry_of(outer, at));
      }
      QKV_TRY(gate(count));
      for (Index at = 0; at < count; ++at) {
        mlp::add(mlp::entry_of(x_, first + at), mlp::entry_of(outer, at),
                 mlp::entry_of(result_, first + at));
      }
    }
    return {};
  }

 private:
  // outer = out(u * spatial(norm(v))), [u, v] = gelu(in(norm(outer))). The sums over tokens go
  // where u lies.
  Status gate(Index count) noexcept {
    const Index rows = count * sizes_.length, features = sizes_.features, width = sizes_.inner;
    const TensorView outer(outer_.data(), {rows, features});
    const TensorView inner(inner_.data(), {rows, 2 * width});
    const mlp::Rows token{outer_.data(), features};
    const mlp::Rows u{inner_.data(), 2 * width}, v{inner_.data() + width, 2 * width};

    mlp::LayerNorm(options_.norm_weight, options_.norm_bias, options_.epsilon)
        .apply(token, token, rows, features);
    QKV_TRY(try_linear(outer, options_.in_weight, options_.in_bias, inner));
    QKV_TRY(mlp::apply_gelu(options_.gelu, inner_.data(), rows * 2 * width));
    mlp::LayerNorm(options_.gate_norm_weight, options_.gate_norm_bias, options_.epsilon)
        .apply(v, v, rows, width);
    const mlp::TokenSums spatial{.weight = options_.spatial_weight,
                                 .bias = options_.spatial_bias,
                                 .outputs = sizes_.length,
                                 .tokens = sizes_.length,
                                 .width = width,
                                 .entries = count,
                                 .value = v,
                                 .result = u,
                                 .value_entry = sizes_.length * 2 * width,
                                 .result_entry = sizes_.length * 2 * width,
                                 .causal = options_.causal,
                                 .multiplies = true};
    QKV_TRY(spatial.run());
    return try_linear(u.view(rows, width), options_.out_weight, options_.out_bias, outer);
  }

  const ConstTensorView& x_;
  const TensorView& result_;
  const GmlpOptions& options_;
  const Sizes sizes_;
  Buffer<float> outer_, inner_;
};

constexpr MechanismParameter parameters[] = {{"features", 128, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* values) {
  const double tokens = static_cast<double>(n), features = static_cast<double>(d);
  const double inner = values[0];
  return {tokens * tokens * inner + 3 * tokens * features * inner,
          4 * (tokens * tokens + tokens * (features + 2 * inner) + 3 * features * inner)};
}

constexpr const char* weight_names[] = {"inWeight", "spatialWeight", "spatialBias", "outWeight"};

Status draw(Index n, Index d, const double* values, Tensor* weights) {
  const Index inner = static_cast<Index>(values[0]);
  const double seed = values[1];
  QKV_TRY(drawn::uniform(seed, 0, {2 * inner, d}, weights[0]));
  QKV_TRY(drawn::uniform(seed, 1, {n, n}, weights[1]));
  QKV_TRY(Tensor::create({n}, weights[2]));
  std::fill_n(weights[2].data(), n, 1.0f);  // as the paper begins
  return drawn::uniform(seed, 2, {d, inner}, weights[3]);
}

Status run(const ConstTensorView& x, const double*, const ConstTensorView* weights,
           const TensorView& result) {
  GmlpOptions options;
  options.in_weight = weights[0];
  options.spatial_weight = weights[1];
  options.spatial_bias = weights[2];
  options.out_weight = weights[3];
  return try_gmlp(x, result, options);
}

}  // namespace

Status try_gmlp(const ConstTensorView& x, const TensorView& result,
                const GmlpOptions& options) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("x", x, 2));
    Sizes sizes(x);
    QKV_TRY(check(x, result, options, sizes));
    return Gated(x, result, options, sizes).run();
  });
}

const Mechanism catalogue::gmlp = {
    .name = "gmlp",
    .title = "gMLP",
    .paper = "Liu, Dai, So and Le 2021, arXiv:2105.08050",
    .year = 2021,
    .family = Family::mixer,
    .exact = false,
    .causal = true,
    .time = "n^2 features + n d features",
    .memory = "n^2 + n (d + features)",
    .trap = "Zeroing the upper triangle of the weights is not enough for a causal form: a later "
            "token that is not finite, times 0, still reaches the earlier ones.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
