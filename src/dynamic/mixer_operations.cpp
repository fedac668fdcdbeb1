#include "dynamic/call.hpp"
#include "qkv/mixers.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

// The word for the kind of GELU, into `kind`.
auto gelu_reader(Gelu& kind) {
  return CustomReader([&kind](std::string_view name, Value value) -> Status {
    int choice = 0;
    QKV_TRY(read_word(name, value, {"exact", "tanh"}, choice));
    kind = static_cast<Gelu>(choice);
    return {};
  });
}

Status run_synthesizer(Call& call) {
  ConstTensorView x, value;
  QKV_TRY(call.tensor(0, "x", x));
  QKV_TRY(call.tensor(1, "value", value));
  SynthesizerOptions options;
  const CustomReader dense([&](std::string_view name, Value entry) {
    return read_object(name, entry,
                       {{"weight1", &options.weight_1, true},
                        {"bias1", &options.bias_1},
                        {"weight2", &options.weight_2, true},
                        {"bias2", &options.bias_2}},
                       call.scratch());
  });
  const CustomReader factorized([&](std::string_view name, Value entry) {
    return read_object(name, entry,
                       {{"left", &options.left, true}, {"right", &options.right, true}},
                       call.scratch());
  });
  const CustomReader mask([&](std::string_view name, Value entry) {
    return read_mask(name, entry, options.mask);
  });
  QKV_TRY(call.options(2, {{"dense", &dense},
                           {"random", &options.random},
                           {"factorized", &factorized},
                           {"mask", &mask}}));
  Shape shape;
  QKV_TRY(synthesizer_shape(x, value, shape));
  Tensor output;
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(try_synthesizer(x, value, output, options));
  call.give("output", std::move(output));
  return {};
}

Status run_fnet(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  Tensor output;
  QKV_TRY(Tensor::create(x.shape, output));
  QKV_TRY(try_fnet(x, output));
  call.give("output", std::move(output));
  return {};
}

Status run_mlp_mixer(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  MixerOptions options;
  const auto gelu = gelu_reader(options.gelu);
  QKV_TRY(call.options(1, {{"norm1Weight", &options.norm_1_weight},
                           {"norm1Bias", &options.norm_1_bias},
                           {"tokenWeight1", &options.token_weight_1, true},
                           {"tokenBias1", &options.token_bias_1},
                           {"tokenWeight2", &options.token_weight_2, true},
                           {"tokenBias2", &options.token_bias_2},
                           {"norm2Weight", &options.norm_2_weight},
                           {"norm2Bias", &options.norm_2_bias},
                           {"channelWeight1", &options.channel_weight_1, true},
                           {"channelBias1", &options.channel_bias_1},
                           {"channelWeight2", &options.channel_weight_2, true},
                           {"channelBias2", &options.channel_bias_2},
                           {"gelu", &gelu},
                           {"epsilon", &options.epsilon}}));
  Tensor output;
  QKV_TRY(Tensor::create(x.shape, output));
  QKV_TRY(try_mlp_mixer(x, output, options));
  call.give("output", std::move(output));
  return {};
}

Status run_gmlp(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  GmlpOptions options;
  const auto gelu = gelu_reader(options.gelu);
  QKV_TRY(call.options(1, {{"normWeight", &options.norm_weight},
                           {"normBias", &options.norm_bias},
                           {"inWeight", &options.in_weight, true},
                           {"inBias", &options.in_bias},
                           {"gateNormWeight", &options.gate_norm_weight},
                           {"gateNormBias", &options.gate_norm_bias},
                           {"spatialWeight", &options.spatial_weight, true},
                           {"spatialBias", &options.spatial_bias},
                           {"outWeight", &options.out_weight, true},
                           {"outBias", &options.out_bias},
                           {"causal", &options.causal},
                           {"gelu", &gelu},
                           {"epsilon", &options.epsilon}}));
  Tensor output;
  QKV_TRY(Tensor::create(x.shape, output));
  QKV_TRY(try_gmlp(x, output, options));
  call.give("output", std::move(output));
  return {};
}

constexpr NamedOperation list[] = {
    {"synthesizer", run_synthesizer},
    {"fnet", run_fnet},
    {"mlpMixer", run_mlp_mixer},
    {"gmlp", run_gmlp},
};

}  // namespace

constinit const std::span<const NamedOperation> mixer_operations = list;

}  // namespace qkv::dynamic
