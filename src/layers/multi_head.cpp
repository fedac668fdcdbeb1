#include "layers/multi_head.hpp"

#include "check.hpp"
#include "qkv/linear.hpp"
#include "text.hpp"

namespace qkv {
namespace {

Status check_input(const char* name, const ConstTensorView& x, Index width,
                   const ConstTensorView& query) {
  QKV_TRY(check_view(name, x, 2));
  if (x.shape.back(0) != width) {
    return shape_error(name, ": the layer takes width ", width, ", saw ", x.shape.back(0), " in ",
                       x.shape);
  }
  if (x.shape.rank() > Shape::max_rank - 1) {
    return shape_error(name, ": expected rank 2 to ", Shape::max_rank - 1, ", saw ", x.shape);
  }
  bool same = x.shape.rank() == query.shape.rank();
  for (int axis = 0; same && axis < x.shape.rank() - 2; ++axis) {
    same = x.shape[axis] == query.shape[axis];
  }
  if (!same) {
    return shape_error(name, ": leading axes differ from the query's: ", x.shape, " and ",
                       query.shape);
  }
  return {};
}

// x through a projection, in memory of its own.
Status project(const ConstTensorView& x, const Projection& projection,
               Tensor& result) {
  Shape shape = x.shape;
  shape[shape.rank() - 1] = projection.weight.shape[0];
  QKV_TRY(Tensor::create(shape, result));
  return try_linear(x, projection.weight, projection.bias, result);
}

// [..., L, heads * dim] read as [..., heads, L, dim].
template <class Element>
BasicView<Element> split_heads(Element* data, const Shape& shape, Index heads) {
  const int rank = shape.rank();
  const Index width = shape.back(0), length = shape.back(1), dim = width / heads;
  Shape split(shape.begin(), static_cast<std::size_t>(rank) + 1);
  Strides strides = row_major(shape);
  strides = Strides(strides.begin(), static_cast<std::size_t>(rank) + 1);
  split[rank - 2] = heads;
  split[rank - 1] = length;
  split[rank] = dim;
  strides[rank - 2] = dim;
  strides[rank - 1] = width;
  strides[rank] = 1;
  return {data, split, strides};
}

}  // namespace

Status multi_head_forward(const MultiHeadConfig& config, const MultiHeadParameters& parameters,
                          const ConstTensorView& query, const ConstTensorView& key,
                          const ConstTensorView& value, const TensorView& result,
                          const LayerOptions& options) {
  QKV_TRY(check_input("query", query, config.embed_dim, query));
  QKV_TRY(check_input("key", key, config.k_dim, query));
  QKV_TRY(check_input("value", value, config.v_dim, query));
  if (key.shape.back(1) != value.shape.back(1)) {
    return shape_error("key and value differ in length: ", key.shape.back(1), " tokens in ",
                       key.shape, " and ", value.shape.back(1), " in ", value.shape);
  }
  QKV_TRY(check_shape("result", result, query.shape));

  Tensor q, k, v, context;
  QKV_TRY(project(query, parameters.q, q));
  QKV_TRY(project(key, parameters.k, k));
  QKV_TRY(project(value, parameters.v, v));
  QKV_TRY(Tensor::create(q.shape(), context));

  AttentionOptions attention = options;
  if (options.training && config.dropout > 0 && !options.dropout) {
    attention.dropout = Dropout{config.dropout, options.seed.value_or(config.seed)};
  }
  const Index heads = config.num_heads, kv_heads = config.num_kv_heads;
  QKV_TRY(try_attention(split_heads<const float>(q.data(), q.shape(), heads),
                        split_heads<const float>(k.data(), k.shape(), kv_heads),
                        split_heads<const float>(v.data(), v.shape(), kv_heads),
                        split_heads(context.data(), context.shape(), heads), attention));
  return try_linear(context, parameters.out.weight, parameters.out.bias, result);
}

Status MultiHeadAttention::create(const MultiHeadConfig& config,
                                  MultiHeadAttention& layer) noexcept {
  return guarded([&]() -> Status {
    MultiHeadAttention made;
    QKV_TRY(resolve_config(config, made.config_));
    QKV_TRY(create_parameters(made.config_, made.parameters_));
    layer = std::move(made);
    return {};
  });
}

Status MultiHeadAttention::try_load_state_dict(const StateDictView& entries) noexcept {
  return guarded([&]() -> Status {
    StateDict loaded;
    QKV_TRY(translate_state_dict(config_, entries, loaded));
    parameters_ = std::move(loaded);
    return {};
  });
}

StateDictView MultiHeadAttention::state_dict() const { return view_of(parameters_); }

Status MultiHeadAttention::try_forward(const ConstTensorView& query, const ConstTensorView& key,
                                       const ConstTensorView& value, const TensorView& result,
                                       const LayerOptions& options) const noexcept {
  return guarded([&]() -> Status {
    MultiHeadParameters parameters;
    QKV_TRY(find_parameters(config_, view_of(parameters_), parameters));
    return multi_head_forward(config_, parameters, query, key, value, result, options);
  });
}

}  // namespace qkv
