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
  Index entries = 1, length = 0, features = 0, token_hidden = 0, channel_hidden = 0;

  explicit Sizes(const ConstTensorView& x)
      : length(x.shape.back(1)), features(x.shape.back(0)) {
    for (int axis = 0; axis + 2 < x.shape.rank(); ++axis) entries *= x.shape[axis];
  }
};

Status check(const ConstTensorView& x, const TensorView& result, const MixerOptions& options,
             Sizes& sizes) {
  const Index length = sizes.length, features = sizes.features;
  QKV_TRY(mlp::check_weight("tokenWeight1", options.token_weight_1, length, x));
  QKV_TRY(mlp::check_weight("channelWeight1", options.channel_weight_1, features, x));
  sizes.token_hidden = options.token_weight_1.shape[0];
  sizes.channel_hidden = options.channel_weight_1.shape[0];
  QKV_TRY(check_shape("tokenWeight2", options.token_weight_2, {length, sizes.token_hidden}));
  QKV_TRY(check_shape("channelWeight2", options.channel_weight_2,
                      {features, sizes.channel_hidden}));
  QKV_TRY(mlp::check_optional("tokenBias1", options.token_bias_1, sizes.token_hidden));
  QKV_TRY(mlp::check_optional("tokenBias2", options.token_bias_2, length));
  QKV_TRY(mlp::check_optional("channelBias1", options.channel_bias_1, sizes.channel_hidden));
  QKV_TRY(mlp::check_optional("channelBias2", options.channel_bias_2, features));
  QKV_TRY(mlp::check_optional("norm1Weight", options.norm_1_weight, features));
  QKV_TRY(mlp::check_optional("norm1Bias", options.norm_1_bias, features));
  QKV_TRY(mlp::check_optional("norm2Weight", options.norm_2_weight, features));
  QKV_TRY(mlp::check_optional("norm2Bias", options.norm_2_bias, features));
  QKV_TRY(mlp::check_epsilon(options.epsilon));
  return check_shape("result", result, x.shape);
}

class Mixer {
 public:
  Mixer(const ConstTensorView& x, const TensorView& result, const MixerOptions& options,
        const Sizes& sizes) noexcept
      : x_(x), result_(result), options_(options), sizes_(sizes) {}

  Status run() noexcept {
    const Index size = sizes_.length * sizes_.features;
    if (sizes_.entries * size == 0) return {};
    const Index hidden = std::max(sizes_.token_hidden * sizes_.features,
                                  sizes_.channel_hidden * sizes_.length);
    const Index at_once = std::clamp<Index>(mlp::budget / (2 * size + hidden), 1, sizes_.entries);
    QKV_TRY(state_.reserve(at_once * size));
    QKV_TRY(normed_.reserve(at_once * size));
    QKV_TRY(hidden_.reserve(at_once * hidden));
    for (Index first = 0; first < sizes_.entries; first += at_once) {
      const Index count = std::min(at_once, sizes_.entries - first);
      const TensorView state(state_.data(), {count, sizes_.length, sizes_.features});
      for (Index at = 0; at < count; ++at) {
        copy_elements(mlp::entry_of(x_, first + at), mlp::entry_of(state, at));
      }
      QKV_TRY(mix_tokens(count));
      QKV_TRY(mix_channels(count));
      for (Index at = 0; at < count; ++at) {
        copy_elements(mlp::entry_of(state, at), mlp::entry_of(result_, first + at));
      }
    }
    return {};
  }

 private:
  // state += mlp over tokens of norm(state). Both products take the rows of features as they lie.
  Status mix_tokens(Index count) noexcept {
    const Index length = sizes_.length, features = sizes_.features, hidden = sizes_.token_hidden;
    const mlp::Rows normed{normed_.data(), features}, inner{hidden_.data(), features};
    mlp::LayerNorm(options_.norm_1_weight, options_.norm_1_bias, options_.epsilon)
        .apply({state_.data(), features}, normed, count * length, features);
    mlp::TokenSums in{.weight = options_.token_weight_1,
                      .bias = options_.token_bias_1,
                      .outputs = hidden,
                      .tokens = length,
                      .width = features,
                      .entries = count,
                      .value = normed,
                      .result = inner,
                      .value_entry = length * features,
                      .result_entry = hidden * features};
    QKV_TRY(in.run());
    QKV_TRY(mlp::apply_gelu(options_.gelu, hidden_.data(), count * hidden * features));
    mlp::TokenSums out = in;
    out.weight = options_.token_weight_2;
    out.bias = options_.token_bias_2;
    std::swap(out.outputs, out.tokens);
    std::swap(out.value, out.result);
    std::swap(out.value_entry, out.result_entry);
    QKV_TRY(out.run());
    add_to_state(count);
    return {};
  }

  // state += mlp over features of norm(state).
  Status mix_channels(Index count) noexcept {
    const Index rows = count * sizes_.length, features = sizes_.features;
    const mlp::Rows normed{normed_.data(), features};
    mlp::LayerNorm(options_.norm_2_weight, options_.norm_2_bias, options_.epsilon)
        .apply({state_.data(), features}, normed, rows, features);
    const TensorView inner(hidden_.data(), {rows, sizes_.channel_hidden});
    const TensorView outer(normed_.data(), {rows, features});
    QKV_TRY(try_linear(outer, options_.channel_weight_1, options_.channel_bias_1, inner));
    QKV_TRY(mlp::apply_gelu(options_.gelu, hidden_.data(), rows * sizes_.channel_hidden));
    QKV_TRY(try_linear(inner, options_.channel_weight_2, options_.channel_bias_2, outer));
    add_to_state(count);
    return {};
  }

  void add_to_state(Index count) noexcept {
    const Index numbers = count * sizes_.length * sizes_.features;
    for (Index i = 0; i < numbers; ++i) state_[i] += normed_[i];
  }

  const ConstTensorView& x_;
  const TensorView& result_;
  const MixerOptions& options_;
  const Sizes sizes_;
  Buffer<float> state_, normed_, hidden_;
};

constexpr MechanismParameter parameters[] = {
    {"tokenHidden", 256, 1}, {"channelHidden", 256, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* values) {
  const double tokens = static_cast<double>(n), features = static_cast<double>(d);
  const double token_hidden = values[0], channel_hidden = values[1];
  return {2 * tokens * features * (token_hidden + channel_hidden),
          4 * (2 * tokens * features +
               std::max(token_hidden * features, channel_hidden * tokens) +
               2 * tokens * token_hidden + 2 * features * channel_hidden)};
}

constexpr const char* weight_names[] = {"tokenWeight1", "tokenWeight2", "channelWeight1",
                                        "channelWeight2"};

Status draw(Index n, Index d, const double* values, Tensor* weights) {
  const Index token_hidden = static_cast<Index>(values[0]);
  const Index channel_hidden = static_cast<Index>(values[1]);
  const double seed = values[2];
  QKV_TRY(drawn::uniform(seed, 0, {token_hidden, n}, weights[0]));
  QKV_TRY(drawn::uniform(seed, 1, {n, token_hidden}, weights[1]));
  QKV_TRY(drawn::uniform(seed, 2, {channel_hidden, d}, weights[2]));
  return drawn::uniform(seed, 3, {d, channel_hidden}, weights[3]);
}

Status run(const ConstTensorView& x, const double*, const ConstTensorView* weights,
           const TensorView& result) {
  MixerOptions options;
  options.token_weight_1 = weights[0];
  options.token_weight_2 = weights[1];
  options.channel_weight_1 = weights[2];
  options.channel_weight_2 = weights[3];
  return try_mlp_mixer(x, result, options);
}

}  // namespace

Status try_mlp_mixer(const ConstTensorView& x, const TensorView& result,
                     const MixerOptions& options) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("x", x, 2));
    Sizes sizes(x);
    QKV_TRY(check(x, result, options, sizes));
    return Mixer(x, result, options, sizes).run();
  });
}

const Mechanism catalogue::mlp_mixer = {
    .name = "mlp-mixer",
    .title = "MLP-Mixer",
    .paper = "Tolstikhin et al. 2021, arXiv:2105.01601",
    .year = 2021,
    .family = Family::mixer,
    .exact = false,
    .causal = false,
    .time = "n d (tokenHidden + channelHidden)",
    .memory = "n (d + tokenHidden + channelHidden)",
    .trap = "GELU has an exact form and one with tanh, libraries differ in their default, and the "
            "results differ by up to 5e-4; the number of tokens is fixed by the weights.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
