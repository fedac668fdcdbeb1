#include "dynamic/call.hpp"
#include "qkv/linear_attention.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status read_feature_map(std::string_view name, Value value, Scratch& scratch, FeatureMap& map) {
  if (value.tag() != Tag::object) {
    int choice = 0;
    if (!read_word(name, value, {"elu", "relu", "softmax", "identity"}, choice).ok()) {
      return expected(
          name, "\"elu\", \"relu\", \"softmax\", \"identity\", { favor } or { fourier }", value);
    }
    if (choice == 0) map = feature::Elu{};
    if (choice == 1) map = feature::Relu{};
    if (choice == 2) map = feature::Softmax{};
    if (choice == 3) map = feature::Identity{};
    return {};
  }
  int given = 0;
  const CustomReader favor([&](std::string_view field, Value entry) -> Status {
    feature::Favor random;
    ++given;
    QKV_TRY(read_object(field, entry,
                        {{"features", &random.features},
                         {"seed", &random.seed},
                         {"projection", &random.projection}},
                        scratch));
    map = random;
    return {};
  });
  const CustomReader fourier([&](std::string_view field, Value entry) -> Status {
    feature::Fourier random;
    ++given;
    QKV_TRY(read_object(field, entry,
                        {{"features", &random.features},
                         {"sigma", &random.sigma},
                         {"seed", &random.seed},
                         {"projection", &random.projection}},
                        scratch));
    map = random;
    return {};
  });
  QKV_TRY(read_object(name, value, {{"favor", &favor}, {"fourier", &fourier}}, scratch));
  if (given != 1) return expected(name, "either { favor } or { fourier }", value);
  return {};
}

Status linear_attention(Call& call) {
  ConstTensorView query, key, value;
  QKV_TRY(call.tensor(0, "query", query));
  QKV_TRY(call.tensor(1, "key", key));
  QKV_TRY(call.tensor(2, "value", value));
  LinearAttentionOptions options;
  const CustomReader feature_map([&](std::string_view name, Value entry) {
    return read_feature_map(name, entry, call.scratch(), options.feature_map);
  });
  QKV_TRY(call.options(3, {{"featureMap", &feature_map},
                           {"causal", &options.causal},
                           {"keyLengths", &options.key_lengths},
                           {"state", &options.state}}));
  Shape shape;
  QKV_TRY(attention_shape(query, key, value, shape));
  Tensor output, next;
  if (options.causal && !std::holds_alternative<feature::Softmax>(options.feature_map)) {
    Shape state;
    QKV_TRY(linear_state_shape(query, key, value, options, state));
    QKV_TRY(Tensor::create(state, next));
    options.next_state = next;
  }
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(try_linear_attention(query, key, value, output, options));
  call.give("output", std::move(output));
  if (options.causal) call.give("state", std::move(next));
  return {};
}

constexpr NamedOperation list[] = {{"linearAttention", linear_attention}};

}  // namespace

constinit const std::span<const NamedOperation> linear_attention_operations = list;

}  // namespace qkv::dynamic
