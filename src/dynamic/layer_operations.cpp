// Layers by name hold no state here: their parameters come and go as values.
#include "dynamic/attention_options.hpp"
#include "layers/multi_head.hpp"
#include "layers/positional_encoding.hpp"
#include "qkv/block.hpp"
#include "qkv/linear.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status read_config(Call& call, MultiHeadConfig& resolved) {
  MultiHeadConfig config;
  std::optional<Index> optional[4];
  QKV_TRY(call.object(0, "config",
                      {{"embedDim", &config.embed_dim, true},
                       {"numHeads", &config.num_heads, true},
                       {"numKvHeads", &optional[0]},
                       {"headDim", &optional[1]},
                       {"kDim", &optional[2]},
                       {"vDim", &optional[3]},
                       {"bias", &config.bias},
                       {"dropout", &config.dropout},
                       {"seed", &config.seed}}));
  // 0 leaves a size open in C++; a caller who writes it means it.
  for (const auto& size : optional) {
    if (size && *size < 1) {
      return argument_error("config: numKvHeads, headDim, kDim and vDim are 1 or more; saw ", *size);
    }
  }
  config.num_kv_heads = optional[0].value_or(0);
  config.head_dim = optional[1].value_or(0);
  config.k_dim = optional[2].value_or(0);
  config.v_dim = optional[3].value_or(0);
  return resolve_config(config, resolved);
}

Status read_state_dict(Call& call, std::size_t place, StateDictView& entries) {
  const Value value = call.argument(place);
  if (value.tag() != Tag::object) return expected("state dict", "an object of tensors by name", value);
  return value.each_entry([&](std::string_view name, Value entry) -> Status {
    entries.emplace_back(name, ConstTensorView());
    return read_tensor(name, entry, call.scratch(), entries.back().second);
  });
}

void give_parameters(Call& call, StateDict parameters) {
  for (auto& [name, tensor] : parameters) call.give(name.c_str(), std::move(tensor));
}

Status multi_head_create(Call& call) {
  MultiHeadConfig config;
  QKV_TRY(read_config(call, config));
  StateDict parameters;
  QKV_TRY(create_parameters(config, parameters));
  give_parameters(call, std::move(parameters));
  return {};
}

Status multi_head_load(Call& call) {
  MultiHeadConfig config;
  QKV_TRY(read_config(call, config));
  StateDictView entries;
  QKV_TRY(read_state_dict(call, 1, entries));
  StateDict parameters;
  QKV_TRY(translate_state_dict(config, entries, parameters));
  give_parameters(call, std::move(parameters));
  return {};
}

Status multi_head_forward(Call& call) {
  MultiHeadConfig config;
  QKV_TRY(read_config(call, config));
  StateDictView entries;
  QKV_TRY(read_state_dict(call, 1, entries));
  MultiHeadParameters parameters;
  QKV_TRY(find_parameters(config, entries, parameters));

  ConstTensorView query, key, value;
  QKV_TRY(call.tensor(2, "query", query));
  key = query;
  if (!call.argument(3).absent()) QKV_TRY(call.tensor(3, "key", key));
  value = key;
  if (!call.argument(4).absent()) QKV_TRY(call.tensor(4, "value", value));

  LayerOptions options;
  AttentionOptionReader reader;
  QKV_TRY(reader.read(call, 5, options,
                      {{"training", &options.training}, {"seed", &options.seed}}));
  if (query.shape.rank() < 2 || query.shape.rank() > Shape::max_rank - 1 || key.shape.rank() < 2) {
    return shape_error("query and key: expected rank 2 to ", Shape::max_rank - 1, ", saw ",
                       query.shape, " and ", key.shape);
  }
  // Further results have a head axis that the layer's own output has not.
  const int rank = query.shape.rank();
  Shape by_head(query.shape.begin(), static_cast<std::size_t>(rank) + 1);
  by_head[rank - 2] = config.num_heads;
  by_head[rank - 1] = query.shape.back(1);
  by_head[rank] = config.head_dim;
  QKV_TRY(reader.reserve(query.shape, by_head, key.shape.back(1), options));
  QKV_TRY(qkv::multi_head_forward(config, parameters, query, key, value, reader.output(), options));
  reader.give(call);
  return {};
}

Status read_config(Call& call, PositionalEncodingConfig& config) {
  const CustomReader kind([&](std::string_view name, Value value) -> Status {
    int choice = 0;
    QKV_TRY(read_word(name, value, {"sinusoidal", "learned"}, choice));
    config.kind = static_cast<PositionKind>(choice);
    return {};
  });
  return call.object(0, "config",
                     {{"dim", &config.dim, true},
                      {"maxLength", &config.max_length},
                      {"dropout", &config.dropout},
                      {"kind", &kind},
                      {"seed", &config.seed}});
}

Status positional_create(Call& call) {
  PositionalEncodingConfig config;
  QKV_TRY(read_config(call, config));
  Tensor table;
  QKV_TRY(create_position_table(config, table));
  call.give("table", std::move(table));
  return {};
}

Status positional_forward(Call& call) {
  PositionalEncodingConfig config;
  QKV_TRY(read_config(call, config));
  ConstTensorView table, x;
  QKV_TRY(call.tensor(1, "table", table));
  QKV_TRY(call.tensor(2, "x", x));
  if (!(table.shape == Shape{config.max_length, config.dim})) {
    return shape_error("table: expected shape ", Shape{config.max_length, config.dim}, ", saw ",
                       table.shape);
  }
  bool training = false;
  std::uint64_t seed = config.seed;
  QKV_TRY(call.options(3, {{"training", &training}, {"seed", &seed}}));
  Tensor output;
  QKV_TRY(Tensor::create(x.shape, output));
  QKV_TRY(add_positions(x, table, training ? config.dropout : 0, seed, output));
  call.give("output", std::move(output));
  return {};
}

Status self_attention_block(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  SelfAttentionBlockOptions options;
  const CustomReader activation([&](std::string_view name, Value value) -> Status {
    int choice = 0;
    QKV_TRY(read_word(name, value, {"relu", "gelu", "silu"}, choice));
    options.activation = static_cast<Activation>(choice);
    return {};
  });
  const CustomReader mask([&](std::string_view name, Value value) {
    return read_mask(name, value, options.mask);
  });
  bool returns_weights = false;
  const CustomReader returns([&](std::string_view name, Value value) {
    return read_object(name, value, {{"weights", &returns_weights}}, call.scratch());
  });
  QKV_TRY(call.options(1, {{"numHeads", &options.num_heads, true},
                           {"inProjWeight", &options.in_proj_weight, true},
                           {"inProjBias", &options.in_proj_bias},
                           {"outProjWeight", &options.out_proj_weight, true},
                           {"outProjBias", &options.out_proj_bias},
                           {"linear1Weight", &options.linear1_weight, true},
                           {"linear1Bias", &options.linear1_bias},
                           {"linear2Weight", &options.linear2_weight, true},
                           {"linear2Bias", &options.linear2_bias},
                           {"norm1Weight", &options.norm1_weight},
                           {"norm1Bias", &options.norm1_bias},
                           {"norm2Weight", &options.norm2_weight},
                           {"norm2Bias", &options.norm2_bias},
                           {"activation", &activation},
                           {"normFirst", &options.norm_first},
                           {"epsilon", &options.epsilon},
                           {"mask", &mask},
                           {"returns", &returns}}));
  Tensor output, weights;
  QKV_TRY(Tensor::create(x.shape, output));
  if (returns_weights) {
    Shape shape;
    QKV_TRY(block_weights_shape(x, options.num_heads, shape));
    QKV_TRY(Tensor::create(shape, weights));
    options.weights = weights;
  }
  QKV_TRY(try_self_attention_block(x, output, options));
  call.give("output", std::move(output));
  if (returns_weights) call.give("weights", std::move(weights));
  return {};
}

Status project(Call& call) {
  ConstTensorView x, weight, bias;
  QKV_TRY(call.tensor(0, "x", x));
  QKV_TRY(call.tensor(1, "weight", weight));
  if (!call.argument(2).absent()) QKV_TRY(call.tensor(2, "bias", bias));
  Shape shape = x.shape;
  if (shape.rank() > 0 && weight.shape.rank() > 0) shape[shape.rank() - 1] = weight.shape[0];
  Tensor output;
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(try_linear(x, weight, bias, output));
  call.give("output", std::move(output));
  return {};
}

constexpr NamedOperation list[] = {
    {"linear", project},
    {"selfAttentionBlock", self_attention_block},
    {"MultiHeadAttention.create", multi_head_create},
    {"MultiHeadAttention.load", multi_head_load},
    {"MultiHeadAttention.forward", multi_head_forward},
    {"PositionalEncoding.create", positional_create},
    {"PositionalEncoding.forward", positional_forward},
};

}  // namespace

constinit const std::span<const NamedOperation> layer_operations = list;

}  // namespace qkv::dynamic
